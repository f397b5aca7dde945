// SPDX-License-Identifier: Apache-2.0
#pragma once

// What went wrong at another rank, so that rank 0 ends as it would had it happened there.

#include <cstdint>
#include <string>

#include "base/byte_stream.hpp"

namespace fedrk::mpi {

struct Failure {
  enum class Kind : std::uint8_t { None, BadRequest, Memory, Other };
  Kind kind = Kind::None;
  std::string words{};

  explicit operator bool() const { return kind != Kind::None; }

  /// Throws InvalidArgument, std::bad_alloc or std::runtime_error. REQUIRES: there is one.
  [[noreturn]] void raise() const;
};

/// Does the work and tells what it threw, if anything.
template <class Work>
Failure failure_of(const Work& work);

/// Of the exception that is being handled.
Failure caught();

template <class Work>
Failure failure_of(const Work& work) {
  try {
    work();
    return {};
  } catch (...) {
    return caught();
  }
}

constexpr std::size_t kLongestWords = 1000;  // bytes

inline void put_failure(const Failure& failure, ByteWriter& out) {
  out.put(static_cast<std::uint8_t>(failure.kind));
  if (failure) out.put(std::string_view(failure.words).substr(0, kLongestWords));
}

inline Failure get_failure(ByteReader& in) {
  Failure failure{static_cast<Failure::Kind>(in.get<std::uint8_t>()), {}};
  if (failure) in.get(failure.words);
  return failure;
}

}  // namespace fedrk::mpi

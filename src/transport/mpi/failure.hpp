// SPDX-License-Identifier: Apache-2.0
#pragma once

// What went wrong at another rank, so that rank 0 ends as it would had it happened there.

#include <array>
#include <cstdint>
#include <string>
#include <tuple>

namespace fedrk::mpi {

struct Failure {
  enum class Kind : std::uint8_t { None, BadRequest, Memory, Other };
  friend constexpr std::array<Kind, 4> enumerators(Kind) {
    return {Kind::None, Kind::BadRequest, Kind::Memory, Kind::Other};
  }
  Kind kind = Kind::None;
  std::string message{};

  static constexpr auto fields(auto& self) { return std::tie(self.kind, self.message); }
  explicit operator bool() const { return kind != Kind::None; }

  /// Throws InvalidArgument, std::bad_alloc or std::runtime_error. REQUIRES: there is one.
  [[noreturn]] void raise() const;
};

/// Does the work and tells what it threw, if anything.
template <class Work>
Failure failure_of(const Work& work);

/// Of the exception that is being handled; its words are cut off where they are long.
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

}  // namespace fedrk::mpi

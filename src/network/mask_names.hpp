// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the server said to all clients alike, as bytes of ours (base/fields.hpp), to be hashed into the names of masks:
// a serialised protobuf promises no canonical form, and two programs could write one message in two ways.

#include <string>
#include <vector>

#include "base/byte_stream.hpp"
#include "fedrk/v1/federation.pb.h"
#include "network/vectors.hpp"

namespace fedrk::network {

template <class Texts>
std::vector<std::string> texts_of(const Texts& texts) {
  return {texts.begin(), texts.end()};
}

/// Without how often a client is to be heard, which may change.
inline std::string canonical(const v1::Welcome& welcome) {
  ByteWriter out;
  out.put(welcome.protocol());
  out.put(welcome.run());
  out.put(welcome.masked());
  for (const v1::PlanEntry& entry : welcome.plan()) {
    out.put(entry.name());
    out.put(texts_of(entry.values()));
  }
  return std::move(out.bytes());
}

/// Without the place of the one that it was sent to.
inline std::string canonical(const v1::Company& company) {
  ByteWriter out;
  out.put(company.run());
  for (const auto& member : company.members()) {
    out.put(member.name());
    out.put(member.key().key());
    out.put(member.key().certificate());
    out.put(member.key().signature());
  }
  return std::move(out.bytes());
}

inline std::string canonical(const v1::SumColumns& sums) {
  return bytes_of(sums.run(), sums.columns(), texts_of(sums.names()));
}

inline std::string canonical(const v1::SumSquares& sums) {
  return bytes_of(sums.run(), wire::view(sums.centre()), texts_of(sums.names()));
}

/// Without the place of the one that it was sent to.
inline std::string canonical(const v1::Prepare& prepare) {
  return bytes_of(prepare.run(), prepare.columns(), prepare.standardized(), wire::view(prepare.centre()),
                  wire::view(prepare.scale()), texts_of(prepare.names()));
}

/// Without the vectors of numbers.
inline std::string canonical(const v1::Task& task) {
  return bytes_of(task.run(), task.number(), task.attempt(), task.has_exponent(), task.exponent(), task.question());
}

/// The bytes of a vector where it lies.
inline std::string_view bytes_in(const v1::Vector& vector) {
  const auto values = wire::view(vector);
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};  // NOLINT: their bits
}

}  // namespace fedrk::network

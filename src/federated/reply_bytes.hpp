// SPDX-License-Identifier: Apache-2.0
#pragma once

// One client's reply as bytes, for a file or another process of the same program.

#include <cstdint>

#include "base/byte_stream.hpp"
#include "fedrk/federated/engine.hpp"

namespace fedrk {
namespace detail {

// What a reply holds beside its values.
enum ReplyPart : std::uint8_t { kResidual = 1, kGap = 2 };

}  // namespace detail

/// All of it but the values.
inline void put_scalars(const LocalReply& reply, ByteWriter& out) {
  using namespace detail;
  out.put(reply.client.value);
  out.put(static_cast<std::uint8_t>((reply.squared_residual ? kResidual : 0) | (reply.gap ? kGap : 0)));
  if (reply.squared_residual) out.put(*reply.squared_residual);
  if (reply.gap) out.put(*reply.gap);
}

inline void put_reply(const LocalReply& reply, ByteWriter& out) {
  put_scalars(reply, out);
  out.put(std::span<const double>(reply.values));
}

inline LocalReply get_scalars(ByteReader& in) {
  using namespace detail;
  LocalReply reply{ClientId{in.get<std::uint32_t>()}, {}};
  const auto parts = in.get<std::uint8_t>();
  if ((parts & kResidual) != 0) reply.squared_residual = in.get<double>();
  if ((parts & kGap) != 0) reply.gap = in.get<double>();
  return reply;
}

inline LocalReply get_reply(ByteReader& in) {
  LocalReply reply = get_scalars(in);
  in.get(reply.values);
  return reply;
}

}  // namespace fedrk

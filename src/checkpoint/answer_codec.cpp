// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/answer_codec.hpp"

#include <cstdint>
#include <cstring>
#include <utility>

#include "base/byte_stream.hpp"
#include "base/hash.hpp"

namespace fedrk::store {
namespace {

std::uint64_t checksum(std::string_view bytes) {
  Hash hash;
  hash.add(bytes);
  return hash.value();
}

}  // namespace

std::string encoded(const RoundReplies& round, std::string room) {
  std::size_t expected = 64 + 64 * round.replies.size();
  for (const LocalReply& reply : round.replies) expected += sizeof(double) * message_length(reply);
  ByteWriter out(std::move(room), expected);
  out.put(std::uint64_t{0});  // room for the checksum
  out.put(round);
  std::string bytes = std::move(out.bytes());
  const std::uint64_t sum = checksum(std::string_view(bytes).substr(sizeof(std::uint64_t)));
  std::memcpy(bytes.data(), &sum, sizeof sum);
  return bytes;
}

std::optional<RoundReplies> decoded(std::string_view bytes) {
  ByteReader in(bytes);
  const auto sum = in.get<std::uint64_t>();
  if (bytes.size() < sizeof sum || checksum(bytes.substr(sizeof sum)) != sum) return std::nullopt;
  RoundReplies round;
  in.get(round);
  return in.complete() ? std::optional(std::move(round)) : std::nullopt;
}

}  // namespace fedrk::store

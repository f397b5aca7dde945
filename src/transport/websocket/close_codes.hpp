// SPDX-License-Identifier: Apache-2.0
#pragma once

// What both sides of the WebSocket agree on besides the messages (docs/protocol.md).

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "transport/protocol/server_link.hpp"
#include "transport/protocol/server_protocol.hpp"

namespace fedrk::network {

constexpr const char* kTarget = "/federation";  // of the upgrade request
/// Names the protocol, so that a client knows that of a server before the first message. Until 4 it was "fedrk" alone.
constexpr std::string_view kNumberedProtocol = "fedrk.";
inline const std::string kSubprotocol = std::string(kNumberedProtocol) + std::to_string(wire::kProtocol);
constexpr const char* kServerField = "fedrk";  // Server: in what the server answers

/// Reasons longer than a close frame holds go before it, as a text message.
constexpr std::size_t kMaxCloseReason = 123;

constexpr std::uint16_t kNormalClose = 1000;
constexpr std::uint16_t kTooBig = 1009;
constexpr std::uint16_t kFirstOwnCode = 4000;

constexpr std::uint16_t close_code(Closing why) {
  return why == Closing::Ended ? kNormalClose
                               : static_cast<std::uint16_t>(kFirstOwnCode + static_cast<std::uint16_t>(why));
}

/// What follows from it for a client.
constexpr LinkEnd::Kind end_kind(std::uint16_t code) {
  if (code == kNormalClose) return LinkEnd::Kind::Closed;
  const bool denied = code == close_code(Closing::Denied) || code == close_code(Closing::Unfit);
  return denied ? LinkEnd::Kind::Denied : LinkEnd::Kind::Lost;
}

/// As much of a reason as a close frame holds, without half a character at its end.
inline std::string_view close_reason(std::string_view reason) {
  if (reason.size() <= kMaxCloseReason) return reason;
  std::size_t end = kMaxCloseReason;
  while (end > 0 && (static_cast<unsigned char>(reason[end]) & 0xC0) == 0x80) --end;
  return reason.substr(0, end);
}

}  // namespace fedrk::network

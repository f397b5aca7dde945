// SPDX-License-Identifier: Apache-2.0
#include "transport/protocol/sanitized.hpp"

namespace fedrk::network {
namespace {

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace

std::string sanitized(std::string reason, std::size_t most) {
  if (reason.size() > most) {
    std::size_t end = most;  // not within a character: some writers of JSON throw at half of one
    while (end > 0 && (static_cast<unsigned char>(reason[end]) & 0xC0) == 0x80) --end;
    reason.resize(end);
  }
  for (char& c : reason) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return reason;
}

std::string handshake_reason(std::string_view reason) {
  if (has(reason, "certificate verify failed")) return "the peer's certificate is not to be believed";
  if (has(reason, "did not return a certificate")) return "the peer has shown no certificate";
  if (has(reason, "wrong version number") || has(reason, "http request")) return "the peer does not speak TLS";
  if (has(reason, "unsupported protocol") || has(reason, "protocol version")) {
    return "the peer speaks no TLS version that is still safe (1.3)";
  }
  if (has(reason, "alert unknown ca")) return "the peer does not know the authority of the server's certificate";
  if (has(reason, "alert certificate expired")) return "the peer finds the server's certificate expired";
  if (has(reason, "certificate")) return "the peer refuses the server's certificate";
  if (has(reason, "no shared cipher") || has(reason, "no suitable")) return "there is no cipher that both sides know";
  return "the handshake failed";
}

}  // namespace fedrk::network

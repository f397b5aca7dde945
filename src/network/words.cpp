// SPDX-License-Identifier: Apache-2.0
#include "network/words.hpp"

namespace fedrk::network {
namespace {

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace

std::string tamed(std::string words, std::size_t most) {
  if (words.size() > most) {
    std::size_t end = most;  // not within a character: some writers of JSON throw at half of one
    while (end > 0 && (static_cast<unsigned char>(words[end]) & 0xC0) == 0x80) --end;
    words.resize(end);
  }
  for (char& c : words) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return words;
}

std::string plain_address(std::string_view peer) {
  if (peer.starts_with("ipv4:") || peer.starts_with("ipv6:")) peer.remove_prefix(5);
  std::string address(peer);
  for (const auto& [coded, plain] : {std::pair("%5B", "["), std::pair("%5D", "]"), std::pair("%25", "%")}) {
    if (const auto at = address.find(coded); at != std::string::npos) address.replace(at, 3, plain);
  }
  return tamed(address);
}

std::string handshake_words(std::string_view line) {
  if (!has(line, "Handshake failed")) return "";
  if (has(line, "certificate verify failed")) return "the peer's certificate is not to be believed";
  if (has(line, "did not return a certificate")) return "the peer has shown no certificate";
  if (has(line, "wrong version number") || has(line, "http request")) return "the peer does not speak TLS";
  if (has(line, "unsupported protocol") || has(line, "protocol version")) {
    return "the peer speaks no TLS version that is still safe (1.2 or 1.3)";
  }
  if (has(line, "alert unknown ca")) return "the peer does not know the authority of the server's certificate";
  if (has(line, "alert certificate expired")) return "the peer finds the server's certificate expired";
  if (has(line, "certificate")) return "the peer refuses the server's certificate";
  if (has(line, "no shared cipher") || has(line, "no suitable")) return "there is no cipher that both sides know";
  return "the handshake failed";
}

}  // namespace fedrk::network

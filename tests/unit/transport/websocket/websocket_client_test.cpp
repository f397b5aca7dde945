// SPDX-License-Identifier: Apache-2.0
//
// What a client makes of a server by the protocol that it names.
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/sha.h>

#include "support/loopback_listener.hpp"
#include "transport/protocol/server_link.hpp"

namespace fedrk::network {
namespace {

/// Upgrades one connection to a WebSocket, and hangs up when the client has said something or is gone.
class OneUpgrade {
 public:
  explicit OneUpgrade(std::string subprotocol) : subprotocol_(std::move(subprotocol)) {
    thread_ = std::thread([this] { serve(); });
  }
  ~OneUpgrade() {
    ::shutdown(listener_.socket(), SHUT_RDWR);
    thread_.join();
  }
  OneUpgrade(const OneUpgrade&) = delete;
  OneUpgrade& operator=(const OneUpgrade&) = delete;

  /// How a client that connects and says something fares.
  LinkEnd end() const {
    const auto link = *connect({.server = "127.0.0.1:" + std::to_string(listener_.port()), .tls = std::nullopt});
    link->write({wire::ChunkKind::Whole, "hello"});
    EXPECT_FALSE(link->read());
    return link->finish();
  }

 private:
  static std::string value_of(const std::string& request, const std::string& field) {
    const std::size_t at = request.find(field + ": ") + field.size() + 2;
    return request.substr(at, request.find("\r\n", at) - at);
  }

  void serve() const {
    const int peer = ::accept(listener_.socket(), nullptr, nullptr);
    if (peer < 0) return;
    std::string request;
    std::array<char, 2048> bytes{};
    while (request.find("\r\n\r\n") == std::string::npos) {
      const auto count = ::recv(peer, bytes.data(), bytes.size(), 0);
      if (count <= 0) break;
      request.append(bytes.data(), static_cast<std::size_t>(count));
    }
    EXPECT_EQ(value_of(request, "Sec-WebSocket-Protocol"), "fedrk.8");
    const std::string answer = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
                               (subprotocol_.empty() ? "" : "Sec-WebSocket-Protocol: " + subprotocol_ + "\r\n") +
                               "Sec-WebSocket-Accept: " + accepted(value_of(request, "Sec-WebSocket-Key")) + "\r\n\r\n";
    EXPECT_GT(::send(peer, answer.data(), answer.size(), MSG_NOSIGNAL), 0);
    (void)!::recv(peer, bytes.data(), bytes.size(), 0);
    ::close(peer);
  }

  // RFC 6455, 4.2.2.
  static std::string accepted(const std::string& key) {
    const std::string text = key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    std::array<unsigned char, SHA_DIGEST_LENGTH> digest{};
    std::array<unsigned char, 32> encoded{};
    SHA1(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
    EVP_EncodeBlock(encoded.data(), digest.data(), SHA_DIGEST_LENGTH);
    return reinterpret_cast<const char*>(encoded.data());
  }

  std::string subprotocol_;
  test::LoopbackListener listener_;
  std::thread thread_;
};

TEST(WebSocketClient, LeavesAServerOfAnotherProtocolInWords) {
  const LinkEnd earlier = OneUpgrade("fedrk").end(), later = OneUpgrade("fedrk.9").end();

  EXPECT_EQ(earlier.kind, LinkEnd::Kind::Denied);
  EXPECT_EQ(
      earlier.message,
      "the server speaks protocol 4 or an earlier one, this client 8: use the same version of fedrk on both sides");
  EXPECT_EQ(later.kind, LinkEnd::Kind::Denied);
  EXPECT_EQ(later.message, "the server speaks protocol 9, this client 8: use the same version of fedrk on both sides");
}

TEST(WebSocketClient, StaysWithAServerOfItsOwnOrWhereAProxyTookTheNameAway) {
  for (const char* name : {"fedrk.8", ""}) EXPECT_NE(OneUpgrade(name).end().kind, LinkEnd::Kind::Denied) << name;
}

}  // namespace
}  // namespace fedrk::network

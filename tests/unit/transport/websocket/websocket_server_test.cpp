// SPDX-License-Identifier: Apache-2.0
//
// What a server puts up with at its port: how long whoever says too little may stay, from how many, and no compression.
#include "transport/websocket/websocket_server.hpp"

#include <chrono>
#include <csignal>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "pki/openssl.hpp"
#include "support/http_get.hpp"
#include "support/identities.hpp"
#include "support/local_federation.hpp"
#include "support/temp_folder.hpp"
#include "transport/websocket/close_codes.hpp"
#include "transport/websocket/tls_context.hpp"

namespace fedrk::network {
namespace {

using test::RawConnection;
using Time = std::chrono::steady_clock;

constexpr Milliseconds kIdle{2000};  // enough for a handshake on a busy machine

std::string upgrade_request(const std::string& fields = "") {
  return std::string("GET ") + kTarget +
         " HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
         "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n" +
         fields + "\r\n";
}

class WebSocketServerTest : public testing::Test {
 protected:
  WebSocketServerTest() { std::signal(SIGPIPE, SIG_IGN); }  // whoever was closed may write once more

  void open(bool secured, Milliseconds hello_limit) {
    FederationOptions options;
    options.clients = {"site-1"};
    options.heartbeat = Milliseconds(100);
    options.hello_limit = hello_limit;
    WebSocketServerOptions sockets{.listen = "127.0.0.1:0", .tls = std::nullopt};
    if (secured) sockets.tls = identities_.server_files();
    server_ = test::or_throw(WebSocketServer::open(sockets, options, log_));
  }
  RawConnection connect(const char* from = nullptr) const {
    return RawConnection(static_cast<std::uint16_t>(server_->port()), from);
  }

  test::TempFolder folder_;
  test::Identities identities_{folder_.path()};
  test::NoLog log_;
  std::unique_ptr<WebSocketServer> server_;
};

// ---- Compression, which would make much of little.

TEST_F(WebSocketServerTest, NegotiatesNoCompression) {
  open(false, Milliseconds(60'000));
  const RawConnection client = connect();

  client.send(upgrade_request("Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n"));
  const std::string head = client.read_until("\r\n\r\n");

  EXPECT_TRUE(head.starts_with("HTTP/1.1 101 ")) << head;
  EXPECT_EQ(head.find("Extensions"), std::string::npos) << head;
}

TEST_F(WebSocketServerTest, ClosesOnCompressedMessages) {
  open(false, Milliseconds(60'000));
  const RawConnection client = connect();
  client.send(upgrade_request());
  client.read_until("\r\n\r\n");

  // The bit that a compressed message has, four bytes, a mask of zeros.
  client.send(std::string("\xC2\x84\0\0\0\0abcd", 10));

  EXPECT_EQ(client.read_to_end().substr(0, 4), std::string("\x88\x02\x03\xEA")) << "close, 1002: a protocol error";
}

// ---- Idle, at each step of the way.

class Idle : public WebSocketServerTest, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    open(true, kIdle);
    context_ = test::or_throw(client_tls_context(identities_.client_files("site-1")));
  }

  void shake_hands(const RawConnection& client) {
    tls_.reset(SSL_new(context_.get()));
    SSL_set_fd(tls_.get(), client.descriptor());
    ASSERT_EQ(SSL_connect(tls_.get()), 1);
  }
  void say(const std::string& text) const { SSL_write(tls_.get(), text.data(), static_cast<int>(text.size())); }
  void upgrade() const {
    say(upgrade_request());
    std::string head;
    for (char byte = 0; !head.ends_with("\r\n\r\n") && SSL_read(tls_.get(), &byte, 1) == 1;) head += byte;
    ASSERT_TRUE(head.starts_with("HTTP/1.1 101 ")) << head;
  }

  security::TlsContext context_;
  security::Tls tls_;
};

INSTANTIATE_TEST_SUITE_P(Manners, Idle,
                         testing::Values("says nothing", "begins a handshake", "drips a handshake",
                                         "stops after its handshake", "begins its upgrade", "drips its upgrade",
                                         "says no hello", "drips its hello"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase(name, ' ');
                           return name;
                         });

TEST_P(Idle, IsClosedAfterItsTime) {
  const std::string manner = GetParam();
  const bool drips = manner.starts_with("drips");
  const RawConnection client = connect();
  const auto begin = Time::now();
  if (manner.ends_with("handshake") && !manner.starts_with("stops")) {
    client.send(std::string("\x16\x03\x01\x20\x00\x01\x00\x1f\xfc\x03\x03", 11));
  } else if (manner != "says nothing") {
    shake_hands(client);
  }
  if (manner.ends_with("upgrade")) say("GET / HTTP/1.1\r\nX: ");
  if (manner.ends_with("hello")) upgrade();

  while (!client.closed() && Time::now() - begin < std::chrono::seconds(60)) {
    if (drips && manner.ends_with("handshake")) client.send("x");
    if (drips && manner.ends_with("upgrade")) say("x");
    // A message of one byte each time, which is a part of a longer one.
    if (drips && manner.ends_with("hello")) say(std::string("\x82\x82\0\0\0\0\x01x", 8));
    std::this_thread::sleep_for(Milliseconds(20));
  }

  EXPECT_GE(Time::now() - begin, kIdle) << "it had less time than others need";
  EXPECT_LT(Time::now() - begin, std::chrono::seconds(60));
}

// ---- Many from one address.

TEST_F(WebSocketServerTest, KeepsTheSilentOfOtherAddressesWhereOneHasMany) {
  open(false, Milliseconds(60'000));
  const RawConnection other = connect("127.0.0.2");
  std::vector<RawConnection> many;
  for (int k = 0; k < 400; ++k) many.push_back(connect());
  const RawConnection last = connect();
  last.send(upgrade_request());
  ASSERT_TRUE(last.read_until("\r\n\r\n").starts_with("HTTP/1.1 101 ")) << "by now all have been accepted";

  EXPECT_TRUE(many.front().closed()) << "the oldest of those who are many";
  other.send(upgrade_request());
  EXPECT_TRUE(other.read_until("\r\n\r\n").starts_with("HTTP/1.1 101 "));
}

TEST_F(WebSocketServerTest, KeepsTheHandshakesOfOtherAddressesWhereOneHasMany) {
  open(false, Milliseconds(60'000));
  const RawConnection other = connect("127.0.0.2");
  const std::string request = upgrade_request();
  other.send(request.substr(0, 10));
  std::vector<RawConnection> many;
  for (int k = 0; k < 300; ++k) {
    many.push_back(connect());
    many.back().send(request.substr(0, 10));
  }
  ASSERT_TRUE(many.front().read_until("\n").empty()) << "the oldest of those who are many is closed";

  other.send(request.substr(10));
  EXPECT_TRUE(other.read_until("\r\n\r\n").starts_with("HTTP/1.1 101 "));
}

}  // namespace
}  // namespace fedrk::network

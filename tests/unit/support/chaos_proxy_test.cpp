// SPDX-License-Identifier: Apache-2.0
#include "support/chaos_proxy.hpp"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace fedrk::test {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
using Clock = std::chrono::steady_clock;

int local_socket() { return ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0); }

sockaddr_in local_address(std::uint16_t port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

/// Sends back what it gets, and ends when the other side does.
class Echo {
 public:
  Echo() : listener_(local_socket()) {
    sockaddr_in address = local_address(0);
    socklen_t size = sizeof address;
    auto* plain = reinterpret_cast<sockaddr*>(&address);  // NOLINT
    if (::bind(listener_, plain, size) != 0 || ::listen(listener_, 16) != 0) throw std::runtime_error("no port");
    ::getsockname(listener_, plain, &size);
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] {
      for (int s = ::accept(listener_, nullptr, nullptr); s >= 0; s = ::accept(listener_, nullptr, nullptr)) {
        workers_.emplace_back([s] { echo(s); });
      }
    });
  }
  Echo(const Echo&) = delete;
  Echo& operator=(const Echo&) = delete;
  ~Echo() {
    ::shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    for (auto& worker : workers_) worker.join();
    ::close(listener_);
  }
  std::uint16_t port() const { return port_; }

 private:
  static void echo(int socket) {
    std::string buffer(65536, '\0');
    for (ssize_t n = 1; n > 0;) {
      n = ::recv(socket, buffer.data(), buffer.size(), 0);
      if (n > 0) ::send(socket, buffer.data(), static_cast<std::size_t>(n), MSG_NOSIGNAL);
    }
    ::close(socket);
  }

  int listener_;
  std::uint16_t port_ = 0;
  std::thread acceptor_;
  std::vector<std::thread> workers_;
};

class Caller {
 public:
  explicit Caller(const ChaosProxy& proxy) : socket_(local_socket()) {
    const sockaddr_in address = local_address(proxy.port());
    ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address);  // NOLINT
  }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;
  ~Caller() { ::close(socket_); }

  void say(const std::string& text) const { ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL); }
  void end() const { ::shutdown(socket_, SHUT_WR); }

  /// What comes within that time, up to `size` bytes.
  std::string hear(std::size_t size, std::chrono::milliseconds limit = 5s) const {
    std::string all;
    const auto end = Clock::now() + limit;
    while (all.size() < size && Clock::now() < end) {
      pollfd wanted = {socket_, POLLIN, 0};
      if (::poll(&wanted, 1, 5) <= 0) continue;
      std::string piece(size - all.size(), '\0');
      const ssize_t n = ::recv(socket_, piece.data(), piece.size(), 0);
      if (n <= 0) break;
      all += piece.substr(0, static_cast<std::size_t>(n));
    }
    return all;
  }

  /// Whether the other side has ended the connection or cut it.
  bool over() const {
    pollfd wanted = {socket_, POLLIN, 0};
    char byte = 0;
    return ::poll(&wanted, 1, 5000) > 0 && ::recv(socket_, &byte, 1, 0) <= 0;
  }

 private:
  int socket_;
};

class ChaosProxyTest : public testing::Test {
 protected:
  Echo echo_;  // must outlive the proxy, whose end ends the echo's connections
  ChaosProxy proxy_{echo_.port()};
};

TEST_F(ChaosProxyTest, ForwardsBothWaysAndPassesTheEndOn) {
  std::string long_text(3'000'000, 'x');
  for (std::size_t i = 0; i < long_text.size(); ++i) long_text[i] = static_cast<char>('a' + i % 23);
  const Caller one(proxy_), other(proxy_);
  std::thread sender([&] {
    one.say(long_text);
    one.end();
  });
  EXPECT_EQ(one.hear(long_text.size()), long_text);
  sender.join();
  EXPECT_TRUE(one.over());
  other.say("hi");
  EXPECT_EQ(other.hear(2), "hi");
  EXPECT_EQ(proxy_.made(), 2);
}

TEST_F(ChaosProxyTest, CutsWhatIsThereAndTakesNewConnections) {
  const Caller before(proxy_);
  before.say("hi");
  ASSERT_EQ(before.hear(2), "hi");

  proxy_.cut();

  EXPECT_TRUE(before.over());
  EXPECT_EQ(proxy_.open(), 0);
  const Caller after(proxy_);
  after.say("hi");
  EXPECT_EQ(after.hear(2), "hi");
}

TEST_F(ChaosProxyTest, RefusesNewConnectionsWhileTold) {
  const Caller before(proxy_);
  before.say("a");
  ASSERT_EQ(before.hear(1), "a");
  proxy_.refuse(true);

  EXPECT_TRUE(Caller(proxy_).over());
  before.say("b");
  EXPECT_EQ(before.hear(1), "b");

  proxy_.refuse(false);
  const Caller after(proxy_);
  after.say("c");
  EXPECT_EQ(after.hear(1), "c");
}

TEST_F(ChaosProxyTest, PartitionedNeitherForwardsNorCloses) {
  const Caller before(proxy_);
  before.say("a");
  ASSERT_EQ(before.hear(1), "a");

  proxy_.partition(true);
  const Caller during(proxy_);
  before.say("b");
  during.say("c");
  EXPECT_EQ(before.hear(1, 30ms), "");
  EXPECT_EQ(during.hear(1, 30ms), "");

  proxy_.partition(false);
  EXPECT_EQ(before.hear(1), "b");
  EXPECT_EQ(during.hear(1), "c");
}

TEST_F(ChaosProxyTest, HoldsOneDirectionOnly) {
  const Caller caller(proxy_);
  caller.say("a");
  ASSERT_EQ(caller.hear(1), "a");

  for (const auto direction : {ChaosProxy::Direction::ToClient, ChaosProxy::Direction::ToServer}) {
    proxy_.hold(direction, true);
    caller.say("b");
    EXPECT_EQ(caller.hear(1, 30ms), "");
    proxy_.hold(direction, false);
    EXPECT_EQ(caller.hear(1), "b");
  }
}

TEST_F(ChaosProxyTest, DelaysBothDirections) {
  proxy_.delay(30ms);
  const Caller caller(proxy_);
  const auto begin = Clock::now();
  caller.say("a");
  ASSERT_EQ(caller.hear(1), "a");
  EXPECT_GE(Clock::now() - begin, 60ms);
  EXPECT_LT(Clock::now() - begin, 2s);
}

TEST_F(ChaosProxyTest, SlowsToARate) {
  proxy_.slow_to(200'000);
  const Caller caller(proxy_);
  const std::string text(20'000, 'x');  // a tenth of a second each way, the pieces one behind the other
  const auto begin = Clock::now();
  caller.say(text);
  ASSERT_EQ(caller.hear(text.size()), text);
  EXPECT_GE(Clock::now() - begin, 100ms);
  EXPECT_LT(Clock::now() - begin, 3s);
}

TEST_F(ChaosProxyTest, FollowsAServerToAnotherPort) {
  const auto first = std::make_unique<Echo>();
  ChaosProxy proxy(first->port());
  proxy.set_target(echo_.port());
  const Caller caller(proxy);
  caller.say("a");
  EXPECT_EQ(caller.hear(1), "a");
}

TEST(ChaosProxy, ResetsThoseWhoCallAServerThatIsNotThere) {
  std::uint16_t nobody = 0;
  { nobody = Echo().port(); }
  ChaosProxy proxy(nobody);

  const Caller caller(proxy);
  caller.say("a");

  EXPECT_TRUE(caller.over());
}

}  // namespace
}  // namespace fedrk::test

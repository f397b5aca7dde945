// SPDX-License-Identifier: Apache-2.0
#include "support/chaos_proxy.hpp"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace fedrk::test {
namespace {

using Clock = ProxyPipe::Clock;

sockaddr_in local(std::uint16_t port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

const sockaddr* plain(const sockaddr_in& address) { return reinterpret_cast<const sockaddr*>(&address); }  // NOLINT

int new_socket() { return ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

// Small messages go on at once, as they would without a proxy.
void do_not_gather(int socket) {
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

void reset(int socket) {
  const linger at_once = {1, 0};
  ::setsockopt(socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  ::close(socket);
}

}  // namespace

struct ChaosProxy::Connection {
  Connection(int client_side, int server_side)
      : client(client_side), server(server_side), pipes{{client, server}, {server, client}} {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() {
    const bool orderly = pipes[0].done() && pipes[1].done();
    for (const int socket : {client, server}) orderly ? static_cast<void>(::close(socket)) : reset(socket);
  }

  int client, server;
  ProxyPipe pipes[2];  // NOLINT: by direction
};

ChaosProxy::ChaosProxy(std::uint16_t target) : target_(target) {
  sockaddr_in address = local(0);
  socklen_t size = sizeof address;
  listener_ = new_socket();
  wake_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (::bind(listener_, plain(address), size) != 0 || ::listen(listener_, 128) != 0 ||
      ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {  // NOLINT
    throw std::runtime_error("no port for a proxy");
  }
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { serve(); });
}

ChaosProxy::~ChaosProxy() {
  set([this] { closing_ = true; });
  thread_.join();
  ::close(listener_);
  ::close(wake_);
}

void ChaosProxy::set(const auto& change) {
  const std::lock_guard lock(mutex_);
  change();
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_, &one, sizeof one);
}

void ChaosProxy::set_target(std::uint16_t target) {
  set([&] { target_ = target; });
}
void ChaosProxy::cut() {
  set([&] { connections_.clear(); });
}
void ChaosProxy::refuse(bool on) {
  set([&] { refusing_ = on; });
}
void ChaosProxy::partition(bool on) {
  set([&] { partitioned_ = on; });
}
void ChaosProxy::hold(Direction direction, bool on) {
  set([&] { held_[static_cast<int>(direction)] = on; });
}
void ChaosProxy::delay(std::chrono::milliseconds time) {
  set([&] { rules_.delay = time; });
}
void ChaosProxy::slow_to(std::size_t bytes_per_second) {
  set([&] { rules_.bytes_per_second = bytes_per_second; });
}

std::size_t ChaosProxy::made() const {
  const std::lock_guard lock(mutex_);
  return made_;
}

std::size_t ChaosProxy::open() const {
  const std::lock_guard lock(mutex_);
  return connections_.size();
}

void ChaosProxy::take_new_connections() {
  while (true) {
    const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (client < 0) return;
    if (refusing_) {
      reset(client);
      continue;
    }
    const int server = new_socket();
    for (const int side : {client, server}) do_not_gather(side);
    const sockaddr_in address = local(target_);
    ::connect(server, plain(address), sizeof address);  // goes on by itself; if it fails, the first read tells
    connections_.emplace_back(client, server);
    ++made_;
  }
}

// Sockets that nothing is wanted from are not polled: their hanging up would wake the loop without end.
void ChaosProxy::serve() {
  std::unique_lock lock(mutex_);
  while (!closing_) {
    std::vector<pollfd> polled = {{wake_, POLLIN, 0}};
    const auto now = Clock::now();
    auto wake_at = now + std::chrono::seconds(1);
    if (!partitioned_) {
      polled.push_back({listener_, POLLIN, 0});
      for (const Connection& connection : connections_) {
        for (int d = 0; d < 2; ++d) {
          const ProxyPipe& pipe = connection.pipes[d];
          if (held_[d]) continue;
          if (pipe.wants_to_read()) polled.push_back({pipe.from(), POLLIN, 0});
          if (pipe.wants_to_write(now)) polled.push_back({pipe.to(), POLLOUT, 0});
          if (!pipe.wants_to_write(now)) wake_at = std::min(wake_at, pipe.next_due().value_or(wake_at));
        }
      }
    }
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(wake_at - now);
    lock.unlock();
    ::poll(polled.data(), polled.size(), static_cast<int>(wait.count()));
    std::uint64_t woken = 0;
    [[maybe_unused]] const ssize_t read = ::read(wake_, &woken, sizeof woken);
    lock.lock();
    if (partitioned_) continue;
    take_new_connections();
    connections_.remove_if([&](Connection& connection) {
      for (int d = 0; d < 2; ++d) {
        ProxyPipe& pipe = connection.pipes[d];
        if (held_[d]) continue;
        if (pipe.wants_to_read() && !pipe.read(rules_, Clock::now())) return true;
        if (!pipe.write(Clock::now())) return true;
      }
      return connection.pipes[0].done() && connection.pipes[1].done();
    });
  }
  connections_.clear();
}

}  // namespace fedrk::test

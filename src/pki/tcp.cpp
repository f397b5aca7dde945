// SPDX-License-Identifier: Apache-2.0
#include "pki/tcp.hpp"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace fedrk::security {
namespace {

using Stage = Finding::Stage;
using Addresses = std::unique_ptr<addrinfo, decltype([](addrinfo* list) { ::freeaddrinfo(list); })>;

bool wait_for(int descriptor, short events, Deadline deadline) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd watched{descriptor, events, 0};
    const int ready = ::poll(&watched, 1, static_cast<int>(std::clamp<long>(left.count(), 0, 1'000'000)));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

// 0, or the reason.
int connect_to(int descriptor, const addrinfo& address, Deadline deadline) {
  if (::connect(descriptor, address.ai_addr, address.ai_addrlen) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  if (!wait_for(descriptor, POLLOUT, deadline)) return ETIMEDOUT;
  int why = 0;
  socklen_t size = sizeof why;
  return ::getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &why, &size) == 0 ? why : errno;
}

Finding not_resolved(const std::string& host, int why) {
  const std::string reason = why == EAI_SYSTEM ? std::generic_category().message(errno) : ::gai_strerror(why);
  if (why == EAI_AGAIN) {
    return {Stage::Resolve, false, fmt::format("the name '{}' could not be looked up: {}", host, reason),
            "is this machine on the network, and can it reach a name server?"};
  }
  return {Stage::Resolve, false, fmt::format("no host is known by the name '{}': {}", host, reason),
          "is the name in the settings right, and known on this network?"};
}

Finding not_connected(const std::string& host, std::uint16_t port, int why) {
  const std::string place = fmt::format("{}:{}", host, port);
  switch (why) {
    case ECONNREFUSED:
      return {Stage::Connect, false, fmt::format("{} refuses connections", place),
              "is the server running, and is this its port?"};
    case ETIMEDOUT:
      return {Stage::Connect, false, fmt::format("{} did not answer in time", place),
              "a firewall between here and there may swallow it; ask for the port to be opened"};
    case ENETUNREACH:
    case EHOSTUNREACH:
      return {Stage::Connect, false, fmt::format("{} cannot be reached from here", place),
              "is this machine on the network, and may it go out?"};
    default:
      return {Stage::Connect, false,
              fmt::format("cannot connect to {}: {}", place, std::generic_category().message(why)),
              "is the server running, and may this machine reach it?"};
  }
}

}  // namespace

std::optional<TcpConnection> TcpConnection::open(const std::string& host, std::uint16_t port, Deadline deadline,
                                                 Finding& finding) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  if (const int failed = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &list); failed != 0) {
    finding = not_resolved(host, failed);
    return std::nullopt;
  }
  const Addresses addresses(list);
  int why = 0;
  for (const addrinfo* address = list; address != nullptr; address = address->ai_next) {
    TcpConnection connection(::socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    const int failed = connection.descriptor_ < 0 ? errno : connect_to(connection.descriptor_, *address, deadline);
    if (failed == 0) return connection;
    if (why == 0 || failed == ECONNREFUSED) why = failed;  // a refusal says most: there is somebody
  }
  finding = not_connected(host, port, why);
  return std::nullopt;
}

TcpConnection::TcpConnection(TcpConnection&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

TcpConnection::~TcpConnection() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

TcpConnection::Got TcpConnection::receive(std::string& bytes, Deadline deadline) {
  if (!wait_for(descriptor_, POLLIN, deadline)) return Got::Timeout;
  std::array<char, 16384> piece{};
  const ssize_t got = ::recv(descriptor_, piece.data(), piece.size(), 0);
  if (got <= 0) return Got::End;
  bytes.append(piece.data(), static_cast<std::size_t>(got));
  return Got::Bytes;
}

bool TcpConnection::send(std::string_view bytes, Deadline deadline) {
  while (!bytes.empty()) {
    if (!wait_for(descriptor_, POLLOUT, deadline)) return false;
    const ssize_t sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno != EAGAIN && errno != EINTR) {
      return false;
    }
  }
  return true;
}

}  // namespace fedrk::security

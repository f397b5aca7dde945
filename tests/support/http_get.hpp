// SPDX-License-Identifier: Apache-2.0
#pragma once

// A page of a server on this machine, asked for by hand, and a connection that sends what it is told.

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <string>

namespace fedrk::test {

class RawConnection {
 public:
  /// From another address of this machine, such as 127.0.0.2, where one is given.
  explicit RawConnection(std::uint16_t port, const char* from = nullptr)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    if (from != nullptr) {
      ::inet_pton(AF_INET, from, &address.sin_addr);
      (void)!::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address);  // NOLINT
    }
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;  // NOLINT
  }
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;
  RawConnection(RawConnection&& other) noexcept : socket_(other.socket_), connected_(other.connected_) {
    other.socket_ = -1;
  }
  RawConnection& operator=(RawConnection&&) = delete;
  ~RawConnection() {
    if (socket_ >= 0) ::close(socket_);
  }

  bool connected() const { return connected_; }
  int descriptor() const { return socket_; }
  void send(const std::string& text) const { ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL); }
  /// What comes, until it ends so or there is no more.
  std::string read_until(const std::string& ending) const {
    std::string all;
    for (char byte = 0; !all.ends_with(ending) && ::recv(socket_, &byte, 1, 0) == 1;) all += byte;
    return all;
  }
  /// Whether the other side has closed it; what has come by now is lost.
  bool closed() const {
    char ignored[256];
    ssize_t count = 1;
    while (count > 0) count = ::recv(socket_, ignored, sizeof ignored, MSG_DONTWAIT);
    return count == 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
  }
  std::string read_to_end() const {
    std::string all(65536, '\0');
    std::size_t size = 0;
    for (ssize_t n = 1; n > 0 && size < all.size(); size += static_cast<std::size_t>(n > 0 ? n : 0)) {
      n = ::recv(socket_, all.data() + size, all.size() - size, 0);
    }
    all.resize(size);
    return all;
  }

 private:
  int socket_;
  bool connected_ = false;
};

struct HttpPage {
  int status = 0;
  std::string head, body;

  /// The value of a header field; empty where there is none.
  std::string field(const std::string& name) const {
    const std::size_t at = head.find("\r\n" + name + ": ");
    if (at == std::string::npos) return "";
    const std::size_t first = at + name.size() + 4;
    return head.substr(first, head.find("\r\n", first) - first);
  }
};

inline std::optional<HttpPage> http_get(std::uint16_t port, const std::string& path, const std::string& method = "GET",
                                        const std::string& fields = "") {
  const RawConnection connection(port);
  connection.send(method + " " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" + fields + "\r\n");
  const std::string all = connection.read_to_end();
  const std::size_t end = all.find("\r\n\r\n");
  if (!all.starts_with("HTTP/1.1 ") || end == std::string::npos) return std::nullopt;
  return HttpPage{std::stoi(all.substr(9, 3)), all.substr(0, end + 2), all.substr(end + 4)};
}

}  // namespace fedrk::test

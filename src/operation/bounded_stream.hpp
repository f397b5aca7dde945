// SPDX-License-Identifier: Apache-2.0
#pragma once

// A connection that cannot take more than its share: so many bytes are read from it, and it ends at a point in time or
// when the server does, however slowly the other side sends or reads.

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>

#include <httplib.h>

namespace fedrk::operation {

class BoundedStream : public httplib::Stream {
 public:
  using Clock = std::chrono::steady_clock;

  BoundedStream(int socket, Clock::time_point end, std::size_t most_bytes, const std::atomic<bool>& stopping)
      : socket_(socket), end_(end), bytes_left_(most_bytes), stopping_(stopping) {}

  bool is_readable() const override;
  bool is_writable() const override;
  ssize_t read(char* to, std::size_t size) override;
  ssize_t write(const char* from, std::size_t size) override;

  // Nobody asks who is there: the pages are the same for all.
  void get_remote_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
  void get_local_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
  int socket() const override { return socket_; }

 private:
  bool wait_for(short event) const;

  int socket_;
  Clock::time_point end_;
  std::size_t bytes_left_;
  const std::atomic<bool>& stopping_;
  std::array<char, 2048> buffer_ = {};
  std::size_t next_ = 0, filled_ = 0;
};

}  // namespace fedrk::operation

// SPDX-License-Identifier: Apache-2.0
#pragma once

// One direction of a connection through the proxy: bytes taken from one socket, due at the other some time later.

#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>

namespace fedrk::test {

struct PipeRules {
  std::chrono::milliseconds delay{0};
  std::size_t bytes_per_second = 0;  // 0: no limit
};

class ProxyPipe {
 public:
  using Clock = std::chrono::steady_clock;

  ProxyPipe(int from, int to) : from_(from), to_(to) {}

  int from() const { return from_; }
  int to() const { return to_; }

  bool wants_to_read() const { return !ended_ && waiting_ < kMaxWaiting; }
  bool wants_to_write(Clock::time_point now) const { return !queue_.empty() && queue_.front().due <= now; }
  std::optional<Clock::time_point> next_due() const;

  /// False where the socket failed: the connection is over.
  bool read(const PipeRules& rules, Clock::time_point now);
  bool write(Clock::time_point now);

  /// The sender has ended and all it sent is delivered.
  bool done() const { return ended_ && queue_.empty(); }

 private:
  struct Chunk {
    std::string bytes;
    Clock::time_point due;
  };
  static constexpr std::size_t kMaxWaiting = 1 << 20;

  int from_, to_;
  std::deque<Chunk> queue_;
  std::size_t waiting_ = 0;
  Clock::time_point free_at_{};  // when the last byte of a slow line has left
  bool ended_ = false;
};

}  // namespace fedrk::test

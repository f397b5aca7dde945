// SPDX-License-Identifier: Apache-2.0
#include "support/proxy_pipe.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace fedrk::test {
namespace {

bool only_not_yet() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

std::optional<ProxyPipe::Clock::time_point> ProxyPipe::next_due() const {
  if (queue_.empty()) return std::nullopt;
  return queue_.front().due;
}

bool ProxyPipe::read(const PipeRules& rules, Clock::time_point now) {
  // A slow line takes pieces of a twentieth of a second.
  const std::size_t most = rules.bytes_per_second == 0 ? 65536 : std::max<std::size_t>(1, rules.bytes_per_second / 20);
  std::string bytes(std::min<std::size_t>(most, 65536), '\0');
  const ssize_t count = ::recv(from_, bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (count < 0) return only_not_yet();
  if (count == 0) {
    ended_ = true;
    return true;
  }
  bytes.resize(static_cast<std::size_t>(count));
  Clock::time_point due = now + rules.delay;
  if (rules.bytes_per_second > 0) {
    const std::chrono::duration<double> takes(static_cast<double>(count) / static_cast<double>(rules.bytes_per_second));
    free_at_ = std::max(free_at_, due) + std::chrono::duration_cast<Clock::duration>(takes);
    due = free_at_;
  }
  waiting_ += bytes.size();
  if (!queue_.empty()) due = std::max(due, queue_.back().due);  // never past those before
  queue_.push_back({std::move(bytes), due});
  return true;
}

bool ProxyPipe::write(Clock::time_point now) {
  while (wants_to_write(now)) {
    std::string& bytes = queue_.front().bytes;
    const ssize_t count = ::send(to_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count < 0) return only_not_yet();
    waiting_ -= static_cast<std::size_t>(count);
    bytes.erase(0, static_cast<std::size_t>(count));
    if (bytes.empty()) queue_.pop_front();
  }
  if (done()) ::shutdown(to_, SHUT_WR);
  return true;
}

}  // namespace fedrk::test

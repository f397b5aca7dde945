// SPDX-License-Identifier: Apache-2.0
#include "operation/bounded_stream.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>

namespace fedrk::operation {

bool BoundedStream::wait_for(short event) const {
  constexpr int kLookMs = 50;  // how often the end of the server is noticed
  while (!stopping_ && Clock::now() < end_) {
    pollfd wanted = {socket_, event, 0};
    if (::poll(&wanted, 1, kLookMs) > 0) return true;
  }
  return false;
}

bool BoundedStream::is_readable() const { return next_ < filled_ || wait_for(POLLIN); }

bool BoundedStream::is_writable() const { return wait_for(POLLOUT); }

ssize_t BoundedStream::read(char* to, std::size_t size) {
  if (next_ == filled_) {
    const std::size_t most = std::min(buffer_.size(), bytes_left_);
    if (most == 0 || !wait_for(POLLIN)) return -1;
    const ssize_t count = ::recv(socket_, buffer_.data(), most, MSG_DONTWAIT);
    if (count <= 0) return count;
    next_ = 0;
    filled_ = static_cast<std::size_t>(count);
    bytes_left_ -= filled_;
  }
  const std::size_t taken = std::min(size, filled_ - next_);
  std::copy_n(buffer_.data() + next_, taken, to);
  next_ += taken;
  return static_cast<ssize_t>(taken);
}

ssize_t BoundedStream::write(const char* from, std::size_t size) {
  return wait_for(POLLOUT) ? ::send(socket_, from, size, MSG_NOSIGNAL | MSG_DONTWAIT) : -1;
}

}  // namespace fedrk::operation

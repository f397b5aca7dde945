// SPDX-License-Identifier: Apache-2.0
#pragma once

// An event loop without a thread of its own: whoever waits for an operation drives all of them until that one is done,
// one thread at a time, and hands over to the next who waits. A reader that answers at once therefore wakes nobody.

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "transport/websocket/websocket_types.hpp"

namespace fedrk::network {

class SharedLoop {
 public:
  asio::io_context& context() { return context_; }

  /// Until it is done.
  void drive(const std::atomic<bool>& done) {
    std::unique_lock lock(mutex_);
    while (!done) {
      if (driven_) {
        ++followers_;
        changed_.wait(lock);
        --followers_;
        continue;
      }
      driven_ = true;
      lock.unlock();
      while (!done && context_.run_one() > 0 && followers_ == 0) {
      }
      lock.lock();
      driven_ = false;
      if (followers_ > 0) changed_.notify_all();
    }
  }

  /// Until nothing is left.
  void finish() {
    work_.reset();
    context_.run();
  }

 private:
  asio::io_context context_{1};
  asio::executor_work_guard<Executor> work_{context_.get_executor()};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool driven_ = false;
  std::atomic<int> followers_ = 0;
};

}  // namespace fedrk::network

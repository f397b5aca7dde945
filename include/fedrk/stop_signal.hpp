// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace fedrk {

/// A request to end a run after the round at hand. `request` may be called from a signal handler or another thread.
class StopSignal {
 public:
  void request() noexcept { requested_.store(true, std::memory_order_relaxed); }
  bool requested() const noexcept { return requested_.load(std::memory_order_relaxed); }

 private:
  static_assert(std::atomic<bool>::is_always_lock_free, "needed in a signal handler");
  std::atomic<bool> requested_{false};
};

}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#pragma once

// What time it is for a server's run, and how it waits: by the machine's clock, or by one that a test makes up.

#include <condition_variable>
#include <mutex>

#include "transport/protocol/server_protocol.hpp"

namespace fedrk::network {

class RunClock {
 public:
  virtual ~RunClock() = default;
  virtual Clock::time_point now() const { return Clock::now(); }
  /// Until something changed or this time has come; it may return before.
  virtual void wait(std::condition_variable& changed, std::unique_lock<std::mutex>& lock, Clock::time_point until) {
    changed.wait_until(lock, until);
  }
};

/// The machine's.
inline RunClock& machine_clock() {
  static RunClock clock;
  return clock;
}

}  // namespace fedrk::network

// SPDX-License-Identifier: Apache-2.0
#pragma once

// Refused handshakes in the log. Anybody who can reach the port can make handshakes fail: that must not fill a disk.

#include <chrono>
#include <string>
#include <string_view>

#include "ops/log.hpp"

namespace fedrk::network {

class HandshakeLog {
 public:
  explicit HandshakeLog(operation::Log& log) : log_(log) {}

  void warn(std::string_view event, std::string_view reason, std::string_view address = {}) {
    constexpr int kMax = 20;
    const auto now = std::chrono::steady_clock::now();
    if (now - begin_ > std::chrono::seconds(10)) {
      begin_ = now;
      used_ = 0;
    }
    if (++used_ > kMax) return;
    if (used_ == kMax) reason = "too often to tell each";
    if (address.empty() || used_ == kMax) return log_.warning(event, {{"reason", reason}});
    log_.warning(event, {{"reason", reason}, {"address", address}});
  }

 private:
  operation::Log& log_;
  std::chrono::steady_clock::time_point begin_{};
  int used_ = 0;
};

}  // namespace fedrk::network

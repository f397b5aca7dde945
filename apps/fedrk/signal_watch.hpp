// SPDX-License-Identifier: Apache-2.0
#pragma once

// Signals for programs with threads that wait: one thread takes them and tells the others. The first asks for an
// orderly end; a second SIGINT or SIGTERM ends the program at once.

#include <functional>
#include <thread>

namespace fedrk::app {

class SignalWatch {
 public:
  /// `told` is called in a thread of its own with SIGINT, SIGTERM, SIGHUP or SIGUSR1, once. Must be made before other
  /// threads, which inherit that these signals are not theirs.
  explicit SignalWatch(std::function<void(int signal)> told);
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

 private:
  void watch();

  std::function<void(int)> told_;
  int signals_ = -1, ended_ = -1;
  std::thread thread_;
};

}  // namespace fedrk::app

// SPDX-License-Identifier: Apache-2.0
#pragma once

// What signals mean to a run: to stop after its round, or that a data file was cut short.

#include <functional>
#include <thread>

#include "fedrk/stop_signal.hpp"

namespace fedrk::app {

/// From now on a file size limit is an error of the write, as a full disk is; and a data file that is cut short while
/// it is used, which takes its numbers with it, ends the program with a line that says so rather than with a signal.
void explain_lost_files();

/// Listens from the first call on: Ctrl-C, SIGTERM or SIGHUP asks to stop after the round at hand; a second one ends
/// the program. SIGUSR1, which "fedrk stop" sends, asks too and never ends it.
const StopSignal& stop_on_interrupt();

/// The same for programs with threads that wait: one thread takes the signals and tells the others. A second SIGINT or
/// SIGTERM ends the program at once.
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

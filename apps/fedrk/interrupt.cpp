// SPDX-License-Identifier: Apache-2.0
#include "interrupt.hpp"

#include <unistd.h>

#include <csignal>
#include <string_view>

namespace fedrk::app {
namespace {

StopSignal stop_requested;

void on_interrupt(int) {
  stop_requested.request();
  constexpr std::string_view kSaid = "\nfedrk: stopping after this round; once more ends the program at once\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, kSaid.data(), kSaid.size());
}

void on_stop(int) {
  stop_requested.request();
  constexpr std::string_view kSaid = "\nfedrk: was told to stop: stopping after this round\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, kSaid.data(), kSaid.size());
}

bool listen() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
  action.sa_handler = on_stop;
  action.sa_flags = SA_RESTART;  // "fedrk stop" may be called twice
  sigaction(SIGUSR1, &action, nullptr);
  return true;
}

}  // namespace

const StopSignal& stop_on_interrupt() {
  [[maybe_unused]] static const bool listening = listen();
  return stop_requested;
}

}  // namespace fedrk::app

// SPDX-License-Identifier: Apache-2.0
#include "lost_file.hpp"

#include <unistd.h>

#include <csignal>
#include <string_view>

#include "output.hpp"

namespace fedrk::app {
namespace {

// Only what may be called in a signal handler.
void on_bus_error(int signal, siginfo_t* about, void*) {
  if (about->si_code != BUS_ADRERR) {  // not a page that went missing: end as if nobody had listened
    std::signal(signal, SIG_DFL);
    std::raise(signal);
    return;
  }
  constexpr std::string_view kSaid =
      "fedrk: a data file became shorter or unreadable while it was being used; run again with the whole file\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, kSaid.data(), kSaid.size());
  _exit(kRunFailed);
}

}  // namespace

void explain_lost_files() {
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
}

}  // namespace fedrk::app

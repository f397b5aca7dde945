// SPDX-License-Identifier: Apache-2.0
#include "signals.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <string_view>
#include <utility>

#include "output.hpp"

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

sigset_t watched() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) sigaddset(&set, signal);
  return set;
}

}  // namespace

void explain_lost_files() {
  std::signal(SIGXFSZ, SIG_IGN);
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
}

const StopSignal& stop_on_interrupt() {
  [[maybe_unused]] static const bool listening = listen();
  return stop_requested;
}

SignalWatch::SignalWatch(std::function<void(int)> told) : told_(std::move(told)) {
  const sigset_t set = watched();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signals_ = signalfd(-1, &set, SFD_CLOEXEC);
  ended_ = eventfd(0, EFD_CLOEXEC);
  thread_ = std::thread([this] { watch(); });
}

SignalWatch::~SignalWatch() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(ended_, &one, sizeof one);
  thread_.join();
  ::close(signals_);
  ::close(ended_);
}

void SignalWatch::watch() {
  bool asked = false;
  pollfd waits[] = {{signals_, POLLIN, 0}, {ended_, POLLIN, 0}};
  while (::poll(waits, 2, -1) >= 0 || errno == EINTR) {
    if ((waits[1].revents & POLLIN) != 0) return;
    signalfd_siginfo info{};
    if (::read(signals_, &info, sizeof info) != sizeof info) continue;
    const int signal = static_cast<int>(info.ssi_signo);
    if (asked && (signal == SIGINT || signal == SIGTERM)) ::_exit(128 + signal);
    if (!std::exchange(asked, true)) told_(signal);
  }
}

}  // namespace fedrk::app

// SPDX-License-Identifier: Apache-2.0
#include "signal_watch.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <utility>

namespace fedrk::app {
namespace {

sigset_t watched() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) sigaddset(&set, signal);
  return set;
}

}  // namespace

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

// SPDX-License-Identifier: Apache-2.0

// fedrk stop: asks the process of a run to end after its round, and waits until it has.

#include <chrono>
#include <csignal>
#include <memory>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "checkpoint/run_lock.hpp"
#include "checkpoint/run_store.hpp"
#include "commands.hpp"
#include "flags.hpp"
#include "output.hpp"

namespace fedrk::app {
namespace {

struct StopArguments {
  std::string folder;
  double seconds = 60.0;
};

// How the run ended, as its run.db has it.
std::string state_of(const std::string& folder) {
  const auto store = store::RunStore::open(folder + "/run.db", store::RunStore::Access::Read);
  const auto state = store ? store->state() : Result<std::string>(Error{});
  return state ? *state : "unknown";
}

int stop(const StopArguments& arguments) {
  using Clock = std::chrono::steady_clock;
  const auto process = store::RunLock::holder(arguments.folder);
  if (!process) {
    return complain(fmt::format("nobody works on {}: there is nothing to stop", arguments.folder), kBadInput);
  }
  if (*process <= 0 || ::kill(*process, SIGUSR1) != 0) {
    return complain(fmt::format("cannot reach process {} that works on {}", *process, arguments.folder), kRunFailed);
  }
  const auto until = Clock::now() + std::chrono::duration<double>(arguments.seconds);
  while (store::RunLock::holder(arguments.folder) == process) {
    if (Clock::now() > until) {
      return complain(fmt::format("process {} was asked to stop and is still at its round after {:g} seconds", *process,
                                  arguments.seconds),
                      kRunFailed);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  const std::string message =
      fmt::format("{}: process {} has ended, the run is {}\n", arguments.folder, *process, state_of(arguments.folder));
  return print_result(message) ? kDone : kRunFailed;
}

}  // namespace

Command stop_command() {
  const auto arguments = std::make_shared<StopArguments>();
  const auto seconds = number(arguments->seconds, "a number from 0", [](double s) { return s >= 0.0; });
  return {.name = "stop",
          .about = "stop a run after its current round; fedrk resume continues it",
          .arguments = {run_argument(arguments->folder)},
          .flags = {{"wait", "SECONDS", "time to wait for its end", seconds, "60"}},
          .footer = "Example:\n  fedrk stop runs/demo && fedrk resume runs/demo",
          .run = [arguments] { return stop(*arguments); }};
}

}  // namespace fedrk::app

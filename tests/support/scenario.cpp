// SPDX-License-Identifier: Apache-2.0
#include "support/scenario.hpp"

#include <algorithm>
#include <csignal>
#include <random>
#include <string_view>

namespace fedrk::test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kNames[kFaults] = {
    "kill the server", "stop the server", "kill",   "stop",   "cut",  "cut all",
    "partition",       "partition all",   "refuse", "deafen", "mute", "delay"};

class Draws {
 public:
  explicit Draws(std::uint64_t seed) : generator_(seed) {}
  std::size_t below(std::size_t end) {
    return static_cast<std::size_t>(generator_() % end);
  }  // any library, any machine
  milliseconds time(int least, int most) {
    return milliseconds(least + static_cast<int>(below(static_cast<std::size_t>(most - least) + 1)));
  }

 private:
  std::mt19937_64 generator_;
};

bool of_all(Fault fault) {
  return fault == Fault::KillServer || fault == Fault::StopServer || fault == Fault::CutAll ||
         fault == Fault::PartitionAll;
}

// What can go wrong, and how it is put right.
void set(Federation& federation, const Disturbance& what, bool on) {
  ChaosProxy& network = federation.network(what.client);
  switch (what.fault) {
    case Fault::KillServer:
      return on ? federation.server().kill() : federation.start_server();
    case Fault::StopServer:
      return federation.server().signal(on ? SIGSTOP : SIGCONT);
    case Fault::KillClient:
      return on ? federation.client(what.client).kill() : federation.start_client(what.client);
    case Fault::StopClient:
      return federation.client(what.client).signal(on ? SIGSTOP : SIGCONT);
    case Fault::Cut:
      return on ? network.cut() : void();
    case Fault::CutAll:
      for (std::size_t i = 0; on && i < federation.clients(); ++i) federation.network(i).cut();
      return;
    case Fault::Partition:
      return network.partition(on);
    case Fault::PartitionAll:
      for (std::size_t i = 0; i < federation.clients(); ++i) federation.network(i).partition(on);
      return;
    case Fault::Refuse:
      return network.refuse(on), on ? network.cut() : void();
    case Fault::Deafen:
      return network.hold(ChaosProxy::Direction::ToClient, on);
    case Fault::Mute:
      return network.hold(ChaosProxy::Direction::ToServer, on);
    case Fault::Delay:
      return network.delay(milliseconds(on ? 15 : 0));
  }
}

/// One scenario as it is played: what has started, what is to be put right when.
class Play {
 public:
  Play(const Scenario& scenario, Federation& federation)
      : scenario_(scenario), federation_(federation), begin_(Clock::now()), started_(scenario.starts.size(), false) {}

  /// Does what is due. False when the server has ended by itself.
  bool step() {
    start_those_due();
    for (auto at = ending_.begin(); at != ending_.end();) {
      if (Clock::now() < at->when) {
        ++at;
        continue;
      }
      set(federation_, at->what, false);
      at = ending_.erase(at);
    }
    if (!started_[0] || server_is_down()) return true;
    if (!federation_.server_runs()) return false;
    begin_those_due();
    return true;
  }

  /// Puts everything right but the dead: their server is gone.
  void heal() {
    for (const Ending& ending : ending_) {
      if (ending.what.fault != Fault::KillClient && ending.what.fault != Fault::KillServer) {
        set(federation_, ending.what, false);
      }
    }
  }

 private:
  struct Ending {
    Clock::time_point when;
    Disturbance what;
  };

  bool server_is_down() const {
    return std::ranges::any_of(ending_, [](const Ending& e) { return e.what.fault == Fault::KillServer; });
  }

  void start_those_due() {
    for (std::size_t i = 0; i < started_.size(); ++i) {
      if (started_[i] || Clock::now() < begin_ + scenario_.starts[i]) continue;
      started_[i] = true;
      i == 0 ? federation_.start_server() : federation_.start_client(i - 1);
    }
  }

  void begin_those_due() {
    const std::size_t round = federation_.round();
    for (; next_ < scenario_.disturbances.size() && scenario_.disturbances[next_].after_round <= round; ++next_) {
      const Disturbance& what = scenario_.disturbances[next_];
      // One thing at a time for each: who is dead cannot be stopped, and a second end would undo the first too early.
      const bool busy = std::ranges::any_of(ending_, [&](const Ending& e) {
        return of_all(e.what.fault) || of_all(what.fault) || e.what.client == what.client;
      });
      if (busy || !started_[what.client + 1]) continue;
      set(federation_, what, true);
      ending_.push_back({Clock::now() + what.lasts, what});
    }
  }

  const Scenario& scenario_;
  Federation& federation_;
  Clock::time_point begin_;
  std::vector<bool> started_;
  std::vector<Ending> ending_;
  std::size_t next_ = 0;
};

testing::AssertionResult failed(const std::string& what, const Scenario& scenario, const Federation& federation) {
  return testing::AssertionFailure() << what << "\nRepeat it with FEDRK_SCENARIOS=1 FEDRK_SEED=" << scenario.seed
                                     << "\n"
                                     << describe(scenario) << federation.story();
}

}  // namespace

Scenario make_scenario(std::uint64_t seed, std::size_t clients, std::size_t rounds) {
  Draws draws(seed);
  Scenario scenario;
  scenario.seed = seed;
  for (std::size_t i = 0; i <= clients; ++i) {
    scenario.starts.push_back(draws.below(3) == 0 ? draws.time(0, 300) : milliseconds(0));
  }
  const std::size_t count = 1 + draws.below(4);
  for (std::size_t i = 0; i < count; ++i) {
    const auto fault = static_cast<Fault>(draws.below(kFaults));
    const std::size_t round = draws.below(rounds);
    const std::size_t client = draws.below(clients);
    scenario.disturbances.push_back({fault, round, client, draws.time(10, 300)});
  }
  std::ranges::stable_sort(scenario.disturbances, {}, &Disturbance::after_round);
  return scenario;
}

std::string describe(const Scenario& scenario) {
  std::string text = "starts (server first) after ms:";
  for (const milliseconds start : scenario.starts) text += " " + std::to_string(start.count());
  text += "\n";
  for (const Disturbance& what : scenario.disturbances) {
    text += "round " + std::to_string(what.after_round) + ": " +
            std::string(kNames[static_cast<std::size_t>(what.fault)]) +
            (of_all(what.fault) ? "" : " " + site_name(what.client)) + " for " + std::to_string(what.lasts.count()) +
            " ms\n";
  }
  return text;
}

testing::AssertionResult play(const Scenario& scenario, const StartupKit& kit, milliseconds longest) {
  Federation federation(kit);
  Play run(scenario, federation);
  try {
    if (!wait_until(longest, [&] { return !run.step(); })) return failed("It did not end.", scenario, federation);
  } catch (const std::exception& error) {
    return failed(error.what(), scenario, federation);
  }
  run.heal();
  const int code = federation.server().wait(milliseconds(0)).value_or(-1);
  if (code != 0) return failed("The server ended with code " + std::to_string(code), scenario, federation);
  if (federation.solution() != kit.expected()) return failed("The bits differ.", scenario, federation);
  return testing::AssertionSuccess();
}

}  // namespace fedrk::test

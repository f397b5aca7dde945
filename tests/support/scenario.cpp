// SPDX-License-Identifier: Apache-2.0
#include "support/scenario.hpp"

#include <algorithm>
#include <csignal>
#include <random>
#include <stdexcept>
#include <string_view>

#include "support/lossy_run.hpp"

namespace fedrk::test {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono_literals::operator""s;
using std::chrono_literals::operator""ms;

constexpr int kStopped = 3;  // exit code

constexpr std::string_view kNames[kFaults] = {"kill the server",
                                              "kill the server, to be resumed",
                                              "terminate the server",
                                              "stop the run, to be resumed",
                                              "freeze the server",
                                              "kill",
                                              "freeze",
                                              "cut",
                                              "cut all",
                                              "partition",
                                              "partition all",
                                              "refuse",
                                              "deafen",
                                              "mute",
                                              "delay",
                                              "slow down"};

class Draws {
 public:
  explicit Draws(std::uint64_t seed) : generator_(seed) {}
  std::size_t below(std::size_t end) {
    return static_cast<std::size_t>(generator_() % end);
  }  // any library, any machine
  milliseconds time(int shortest, int most) {
    return milliseconds(shortest + static_cast<int>(below(static_cast<std::size_t>(most - shortest) + 1)));
  }

 private:
  std::mt19937_64 generator_;
};

bool ends_the_server(Fault fault) { return fault <= Fault::EndRun; }

bool of_all(Fault fault) {
  return fault <= Fault::StopServer || fault == Fault::CutAll || fault == Fault::PartitionAll;
}

// ---- What can go wrong with a client or its network, and how it is put right.

void set_client(Federation& federation, Fault fault, std::size_t client, bool on) {
  ChaosProxy& network = federation.network(client);
  switch (fault) {
    case Fault::KillClient:
      return on ? federation.client(client).kill() : federation.start_client(client);
    case Fault::StopClient:
      return federation.client(client).signal(on ? SIGSTOP : SIGCONT);
    case Fault::Cut:
    case Fault::CutAll:
      return on ? network.cut() : void();
    case Fault::Partition:
    case Fault::PartitionAll:
      return network.partition(on);
    case Fault::Refuse:
      return network.refuse(on), on ? network.cut() : void();
    case Fault::Deafen:
      return network.hold(ChaosProxy::Direction::ToClient, on);
    case Fault::Mute:
      return network.hold(ChaosProxy::Direction::ToServer, on);
    case Fault::Delay:
      return network.delay(on ? 15ms : 0ms);
    case Fault::Slow:
      return network.slow_to(on ? 20'000 : 0);
    default:
      throw std::logic_error("not a client's fault");
  }
}

// ---- The same for the server.

void end_server(Federation& federation, Fault fault) {
  if (fault == Fault::KillServer || fault == Fault::ResumeServer) return federation.server().kill();
  if (fault == Fault::TerminateServer) federation.server().signal(SIGTERM);
  // The run may have ended by itself a moment before: then there is nobody to stop.
  if (fault == Fault::EndRun) federation.command("stop");
  const int code = federation.server().wait(5s).value_or(-1);
  if (code != kStopped && code != 0) throw std::runtime_error("stopped, the server gave " + std::to_string(code));
}

void bring_server_back(Federation& federation, Fault fault) {
  const bool resume = fault == Fault::ResumeServer || fault == Fault::EndRun;
  federation.start_server(resume ? Federation::Start::Resume : Federation::Start::SameCommand);
  if (fault != Fault::EndRun) return;
  for (std::size_t i = 0; i < federation.clients(); ++i) {  // fedrk stop has ended those who heard of it
    if (!federation.client_started(i) || federation.client_runs(i)) continue;
    const int code = federation.client(i).wait(0ms).value_or(-1);
    if (code != kStopped) throw std::runtime_error("stopped, " + site_name(i) + " gave " + std::to_string(code));
    federation.start_client(i);
  }
}

/// One scenario as it is played: what has started, what is to be put right when.
class Play {
 public:
  Play(const Scenario& scenario, Federation& federation)
      : scenario_(scenario),
        federation_(federation),
        begin_(Clock::now()),
        started_(scenario.starts.size(), false),
        disturbed_(federation.clients(), false) {}

  /// Does what is due. False when the run is over.
  bool step() {
    start_those_due();
    for (auto at = ending_.begin(); at != ending_.end();) {
      if (Clock::now() < at->when) {
        ++at;
        continue;
      }
      const Disturbance what = at->what;
      at = ending_.erase(at);
      put_right(what);
    }
    if (!started_[0] || server_is_down()) return !completed_;
    if (!federation_.server_runs()) return false;
    begin_those_due();
    return true;
  }

  /// Puts everything right but the dead: their server is gone.
  void heal() {
    for (const Ending& ending : ending_) {
      if (ending.what.fault != Fault::KillClient && !ends_the_server(ending.what.fault)) put_right(ending.what);
    }
  }

  /// The server was killed when all was done: its clients were not told.
  bool completed_in_silence() const { return completed_; }
  /// It may have missed the server's last word.
  bool was_disturbed(std::size_t client) const { return disturbed_[client]; }

 private:
  struct Ending {
    Clock::time_point when;
    Disturbance what;
  };

  bool server_is_down() const {
    return completed_ || std::ranges::any_of(ending_, [](const Ending& e) { return ends_the_server(e.what.fault); });
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
      disturb(what);
      ending_.push_back({Clock::now() + what.lasts, what});
      if (ends_the_server(what.fault)) return void(++next_);
    }
  }

  void disturb(const Disturbance& what) {
    if (ends_the_server(what.fault)) return end_server(federation_, what.fault);
    if (what.fault == Fault::StopServer) return federation_.server().signal(SIGSTOP);
    set_clients(what, true);
  }

  void put_right(const Disturbance& what) {
    if (ends_the_server(what.fault)) {
      completed_ = federation_.state() == "finished:completed";
      return completed_ ? void() : bring_server_back(federation_, what.fault);
    }
    if (what.fault == Fault::StopServer) return federation_.server().signal(SIGCONT);
    set_clients(what, false);
  }

  void set_clients(const Disturbance& what, bool on) {
    for (std::size_t i = 0; i < federation_.clients(); ++i) {
      if (!of_all(what.fault) && i != what.client) continue;
      disturbed_[i] = true;
      set_client(federation_, what.fault, i, on);
    }
  }

  const Scenario& scenario_;
  Federation& federation_;
  Clock::time_point begin_;
  std::vector<bool> started_, disturbed_;
  std::vector<Ending> ending_;
  std::size_t next_ = 0;
  bool completed_ = false;
};

// ---- The end.

// What is not as it should be; empty: all is well.
std::string fault_of_result(const Scenario& scenario, const StartupKit& kit, const Federation& federation) {
  const auto absences = absences_in(federation.history());
  for (const auto& [round, client, reason] : absences) {
    const bool good = reason == "no answer within 0.2 s" || reason.starts_with("its connection was lost and");
    if (scenario.impatient && good) continue;
    return "Round " + std::to_string(round) + " did not wait for " + client + ": " + reason;
  }
  if (kit.masked()) {
    // The draws are the clients' own, and so is the way to a limit that does not depend on them.
    const double apart = distance_of_solutions(federation.solution(), kit.expected());
    return apart < 1e-6 ? "" : "The solution is off by " + std::to_string(apart) + ".";
  }
  if (absences.empty()) return federation.solution() == kit.expected() ? "" : "The bits differ.";
  const bool same = federation.solution() == solution_without(kit, absences);
  return same ? "" : "The bits differ from those of a run without " + std::to_string(absences.size()) + " answers.";
}

std::string fault_of_clients(const Scenario& scenario, const Play& run, Federation& federation, int expected) {
  for (std::size_t i = 0; i < federation.clients(); ++i) {
    if (!federation.client_started(i) || run.completed_in_silence()) continue;
    const bool may_not_know = scenario.impatient || run.was_disturbed(i);
    const auto code = federation.client(i).wait(may_not_know ? 0ms : 5000ms);
    const bool killed = code == 128 + SIGKILL && may_not_know;
    if (code ? *code != expected && !killed : !may_not_know) {
      return site_name(i) + (code ? " gave " + std::to_string(*code) : " does not end");
    }
  }
  return "";
}

testing::AssertionResult failed(const std::string& what, const Scenario& scenario, const Federation& federation) {
  return testing::AssertionFailure() << what << "\nRepeat it with FEDRK_SCENARIOS=1 FEDRK_SEED=" << scenario.seed
                                     << "\n"
                                     << describe(scenario) << federation.story();
}

}  // namespace

Scenario make_scenario(std::uint64_t seed, std::size_t kits, std::size_t clients, std::size_t rounds) {
  Draws draws(seed);
  Scenario scenario;
  scenario.seed = seed;
  scenario.kit = draws.below(kits);
  scenario.impatient = draws.below(4) == 0;
  for (std::size_t i = 0; i <= clients; ++i) {
    scenario.starts.push_back(draws.below(3) == 0 ? draws.time(0, 300) : 0ms);
  }
  const std::size_t count = 1 + draws.below(4);
  for (std::size_t i = 0; i < count; ++i) {
    const auto fault = static_cast<Fault>(draws.below(kFaults));
    const std::size_t round = draws.below(4) == 0 ? 0 : draws.below(rounds);
    const std::size_t client = draws.below(clients);
    // The server believes a client to be gone after 800 ms of silence.
    const milliseconds lasts = draws.below(6) == 0 ? draws.time(850, 1200) : draws.time(10, 300);
    scenario.disturbances.push_back({fault, round, client, lasts});
  }
  std::ranges::stable_sort(scenario.disturbances, {}, &Disturbance::after_round);
  return scenario;
}

std::string describe(const Scenario& scenario) {
  std::string text = "kit " + std::to_string(scenario.kit) + (scenario.impatient ? ", impatient" : "") +
                     "; starts (server first) after ms:";
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

testing::AssertionResult play(const Scenario& scenario, const StartupKit& kit, milliseconds limit) {
  const Arguments impatient = {"--heartbeat",   "0.2", "--join-limit", "30",
                               "--reply-limit", "0.2", "--away-limit", "0.15"};
  Federation federation(kit, scenario.impatient ? impatient : patient_limits());
  Play run(scenario, federation);
  try {
    if (!wait_until(limit, [&] { return !run.step(); })) return failed("It did not end.", scenario, federation);
    run.heal();
  } catch (const std::exception& error) {
    return failed(error.what(), scenario, federation);
  }
  const int code = run.completed_in_silence() ? kit.code() : federation.server().wait(0ms).value_or(-1);
  if (code != kit.code()) return failed("The server ended with code " + std::to_string(code), scenario, federation);
  std::string fault = fault_of_result(scenario, kit, federation);
  if (fault.empty()) fault = fault_of_clients(scenario, run, federation, kit.code());
  return fault.empty() ? testing::AssertionSuccess() : failed(fault, scenario, federation);
}

}  // namespace fedrk::test

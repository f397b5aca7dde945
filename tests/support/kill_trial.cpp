// SPDX-License-Identifier: Apache-2.0
#include "support/kill_trial.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>

#include "support/lossy_run.hpp"

namespace fedrk::test {
namespace {

namespace fs = std::filesystem;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
using Clock = std::chrono::steady_clock;
using Time = std::chrono::duration<double>;

constexpr auto kLimit = 120s;   // for whatever is waited for: machines may be busy
constexpr auto kLastWord = 2s;  // for clients, after the server's end
constexpr Time kSetUp = 600ms;  // in which a set-up is over, on a busy machine too
constexpr Time kEnd = 40ms;     // from the first file of the result to the end of most processes

constexpr std::array<std::string_view, 3> kPhases = {"set-up", "rounds", "end"};
constexpr std::array<std::string_view, 3> kVictims = {"server", "client", "both"};
constexpr std::array<std::string_view, kLosses> kLossNames = {"nothing lost",     "journal lost its end",
                                                              "journal put back", "masks lost their end",
                                                              "state put back",   "state and counts put back"};

template <class Names, class Kind>
std::string name_of(const Names& names, Kind kind) {
  return std::string(names.at(static_cast<std::size_t>(kind)));
}

std::string kind_of(const Kill& kill) {
  return name_of(kPhases, kill.phase) + ", " + name_of(kVictims, kill.victim) + ", " + name_of(kLossNames, kill.loss);
}

bool takes_server(const Kill& kill) { return kill.victim != Victim::Client; }
bool takes_client(const Kill& kill) { return kill.victim != Victim::Server; }
bool of_server(Loss loss) { return loss == Loss::JournalEnd || loss == Loss::JournalBack; }

class Draws {
 public:
  explicit Draws(std::uint64_t seed) : generator_(seed) {}
  std::size_t below(std::size_t end) { return static_cast<std::size_t>(generator_() % end); }
  double fraction() { return static_cast<double>(generator_() >> 11) * 0x1p-53; }

 private:
  std::mt19937_64 generator_;
};

Loss loss_of(Victim victim, Draws& draws) {
  if (draws.below(2) == 0) return Loss::Nothing;
  constexpr std::array kServers = {Loss::JournalEnd, Loss::JournalBack};
  constexpr std::array kClients = {Loss::MasksEnd, Loss::StateBack, Loss::SiteBack};
  const bool server = victim == Victim::Server || (victim == Victim::Both && draws.below(2) == 0);
  return server ? kServers.at(draws.below(kServers.size())) : kClients.at(draws.below(kClients.size()));
}

// ---- Files of an earlier moment.

class Copies {
 public:
  explicit Copies(std::vector<fs::path> originals) : originals_(std::move(originals)) {
    for (std::size_t k = 0; k < originals_.size(); ++k) {
      if (fs::exists(originals_[k])) fs::copy(originals_[k], place(k), fs::copy_options::recursive);
    }
  }
  /// The first so many of them; what was not there then goes.
  void put_back(std::size_t count) const {
    for (std::size_t k = 0; k < std::min(count, originals_.size()); ++k) {
      fs::remove_all(originals_[k]);
      if (fs::exists(place(k))) fs::copy(place(k), originals_[k], fs::copy_options::recursive);
    }
  }
  void put_back() const { put_back(originals_.size()); }

 private:
  fs::path place(std::size_t k) const { return folder_ / std::to_string(k); }

  TempFolder folder_;
  std::vector<fs::path> originals_;
};

// Whether there was something to cut.
bool cut(const fs::path& log, double left) {
  std::error_code none;
  const auto size = fs::file_size(log, none);
  if (none || size == 0) return false;
  fs::resize_file(log, static_cast<std::uintmax_t>(static_cast<double>(size) * left));
  return true;
}

// ---- What was said.

std::string last_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

// Without its numbers and hours, so that sentences can be counted.
std::string sentence_of(const std::string& line) {
  std::string sentence;
  for (const char letter : line) {
    const bool digit = letter >= '0' && letter <= '9';
    if (!digit || !sentence.ends_with('#')) sentence += digit ? '#' : letter;
  }
  return sentence;
}

class Fault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// ---- A trial.

class Play {
 public:
  Play(const KillTrial& trial, const StartupKit& kit, KillTally& tally)
      : trial_(trial), kit_(kit), tally_(tally), federation_(kit, patient_limits(), owners()), sites_(kit.clients()) {}

  void run() {
    federation_.start_all();
    for (const Kill& kill : trial_.kills) {
      if (kill.phase != Phase::SetUp) meet_the_twin();
      wait_for(kill);
      if (is_over()) break;
      strike(kill);
    }
    meet_the_twin();
    wait_until_all_is_over();
    expect_the_bits_of_the_twin();
    ++tally_.runs;
  }

  std::string story() const { return federation_.story(); }

 private:
  /// A process and what it has of earlier moments.
  struct Party {
    std::unique_ptr<Copies> before{};  // when it was killed last
    std::string lost{};                // the kind of its newest kill, where that lost something
    bool told = true;                  // of the end of the run, if that was while it lived
  };

  // Tables are small here, and rounds are many.
  static Arguments owners() { return {"--wait", "120", "--min-rows", "0", "--max-share", "1000000"}; }

  std::vector<fs::path> journal() const {
    const fs::path run = federation_.path("server/runs/federation");
    return {run / "run.db", run / "run.db-wal", run / "run.db-shm"};
  }
  std::vector<fs::path> state_of(std::size_t client) const {
    const fs::path site = federation_.path(site_name(client));
    return {site / "state", site / "state-masks.count", site / "state-client.count"};
  }

  // ---- Where the run is.

  // Of all that run now: who was killed a moment ago may still refuse what it finds.
  static bool is_set_up(Federation& federation) {
    if (federation.server().err().find("run.begins") == std::string::npos) return false;
    for (std::size_t i = 0; i < federation.clients(); ++i) {
      if (federation.client(i).err().find("masks.ready") == std::string::npos) return false;
    }
    return true;
  }
  bool is_set_up() { return is_set_up(federation_); }
  bool is_finished() const { return federation_.state().starts_with("finished:completed"); }
  bool is_over() { return over_ || (!federation_.server_runs() && is_finished()); }

  /// Waits, and looks after those who refuse to go on.
  template <class Condition>
  void wait(const Condition& it_is_so, const std::string& otherwise) {
    const bool good = wait_until(kLimit, [&] {
      attend();
      return it_is_so();
    });
    if (!good) throw Fault(otherwise);
  }

  void meet_the_twin() {
    if (expected_) return;
    wait([&] { return is_set_up() || is_over(); }, "The set-up does not end.");
    federation_.server().kill();
    for (std::size_t i = 0; i < sites_.size(); ++i) federation_.client(i).kill();
    server_.before = std::make_unique<Copies>(journal());
    for (std::size_t i = 0; i < sites_.size(); ++i) sites_[i].before = std::make_unique<Copies>(state_of(i));
    over_ = is_finished();  // sooner than it could be copied
    if (over_) return void(expected_ = federation_.solution());
    Federation twin(federation_);
    twin.start_all();
    wait_until(kLimit, [&] { return is_set_up(twin) || !twin.server_runs(); });
    const auto begin = Clock::now();
    const auto code = twin.server().wait(kLimit);
    rounds_ = Clock::now() - begin;
    if (code != kit_.code()) {
      throw Fault("Undisturbed, the server gives " + std::to_string(code.value_or(-1)) + ".\n" + twin.story());
    }
    if (!absences_in(twin.history()).empty()) throw Fault("Undisturbed, a round was without somebody.");
    expected_ = twin.solution();
    const double apart = distance_of_solutions(*expected_, kit_.expected());
    if (!(apart < 1e-6)) throw Fault("Undisturbed, the solution is off by " + std::to_string(apart) + ".");
    start_server();
    for (std::size_t i = 0; i < sites_.size(); ++i) federation_.start_client(i);
  }

  // Of the set-up since the processes started; of the rounds since all were there; of the end since its first file.
  void wait_for(const Kill& kill) {
    if (over_) return;
    if (kill.phase == Phase::SetUp) {
      const auto moment = Clock::now() + kSetUp * kill.moment * kill.moment;
      return wait([&] { return is_set_up() || Clock::now() >= moment; }, "Time stands still.");
    }
    if (kill.phase == Phase::End) {
      const fs::path first = federation_.path("server/runs/federation/solution.csv");
      wait([&] { return fs::exists(first) || is_over(); }, "The rounds do not end.");
      return std::this_thread::sleep_for(kEnd * kill.moment);
    }
    wait([&] { return is_set_up() || is_over(); }, "The run does not go on.");
    const auto others = std::ranges::count(trial_.kills, Phase::Rounds, &Kill::phase);
    std::this_thread::sleep_for(rounds_ * kill.moment / static_cast<double>(others));
  }

  // ---- Killing, losing, starting again.

  void strike(const Kill& kill) {
    Party& site = sites_[kill.client];
    if (takes_server(kill)) take_down(server_, federation_.server(), "The server");
    if (takes_client(kill)) take_down(site, federation_.client(kill.client), site_name(kill.client));
    over_ = takes_server(kill) && is_finished();
    bool lost = false;
    if (takes_client(kill)) lost = put_down(site, state_of(kill.client), kill, !of_server(kill.loss));
    if (takes_server(kill) && !over_) lost = put_down(server_, journal(), kill, of_server(kill.loss)) || lost;
    Kill what = kill;
    if (!lost) what.loss = Loss::Nothing;  // there was nothing yet
    ++tally_.kinds[kind_of(what)].kills;
    if (over_) return;  // nobody is left to tell its clients
    if (takes_client(kill)) federation_.start_client(kill.client);
    if (takes_server(kill)) start_server();
  }

  // It may have ended by itself a moment before.
  void take_down(Party& party, Process& process, const std::string& name) {
    process.kill();
    const int code = process.wait(0ms).value_or(-1);
    if (code != 128 + SIGKILL && code != kit_.code()) refuse(party, process, name);
  }

  // Says whether it lost anything.
  static bool put_down(Party& party, const std::vector<fs::path>& files, const Kill& kill, bool loses) {
    auto newest = std::make_unique<Copies>(files);
    const bool lost = loses && lose(party, files, kill);
    party.lost = lost ? kind_of(kill) : "";
    party.before = std::move(newest);
    return lost;
  }

  // Whether there was something to lose.
  static bool lose(const Party& party, const std::vector<fs::path>& files, const Kill& kill) {
    switch (kill.loss) {
      case Loss::Nothing:
        return false;
      case Loss::JournalEnd:
        return cut(files[1], kill.left);
      case Loss::MasksEnd:
        return cut(files[0] / "masks.db-wal", kill.left);
      default:
        if (party.before) party.before->put_back(kill.loss == Loss::StateBack ? 1 : files.size());
        return party.before != nullptr;
    }
  }

  // One that does not come to listen has ended: its reason is looked at where all are.
  void start_server() {
    try {
      federation_.start_server();
    } catch (const std::runtime_error&) {
      if (federation_.server_runs()) throw Fault("The server does not listen.");
      attend();
    }
  }

  // Who has ended by itself must have said why, and had a reason.
  void attend() {
    if (over_) return;
    if (!federation_.server_runs() && !is_finished()) {
      refuse(server_, federation_.server(), "The server");
      start_server();
    }
    for (std::size_t i = 0; i < sites_.size(); ++i) {
      if (federation_.client_runs(i) || federation_.client(i).wait(0ms) == 0 || is_over()) continue;
      refuse(sites_[i], federation_.client(i), site_name(i));
      federation_.start_client(i);
    }
  }

  void refuse(Party& party, Process& process, const std::string& name) {
    const int code = process.wait(0ms).value_or(-1);
    const std::string words = last_line(process.err());
    if (party.lost.empty() || code < 1 || code > 3 || words.empty()) {
      throw Fault(name + " ended with code " + std::to_string(code) + ": " + words);
    }
    ++tally_.kinds[party.lost].refusals;
    ++tally_.words[sentence_of(words)];
    party.lost.clear();
    party.before->put_back();
  }

  // ---- The end.

  void wait_until_all_is_over() {
    wait([&] { return is_over(); }, "The run does not end.");
    if (over_) return;
    if (const auto code = federation_.server().wait(kLimit); code != kit_.code()) {
      throw Fault("The server ended with code " + std::to_string(code.value_or(-1)) + ".");
    }
  }

  void expect_the_bits_of_the_twin() {
    if (const auto absent = absences_in(federation_.history()); !absent.empty()) {
      throw Fault("Round " + std::to_string(absent.front().round) + " did not wait for " + absent.front().client +
                  ": " + absent.front().reason);
    }
    if (federation_.solution() != *expected_) {
      throw Fault("The bits differ; the solution by " +
                  std::to_string(distance_of_solutions(federation_.solution(), *expected_)) + ".");
    }
    for (std::size_t i = 0; i < sites_.size(); ++i) {
      if (federation_.client(i).wait(over_ ? 0s : kLastWord) != kit_.code()) continue;  // it missed the last word
      const double apart = distance_of_solutions(federation_.client_solution(i), *expected_);
      if (apart != 0.0) throw Fault(site_name(i) + " was told another solution, by " + std::to_string(apart) + ".");
    }
  }

  const KillTrial& trial_;
  const StartupKit& kit_;
  KillTally& tally_;
  Federation federation_;
  Party server_;
  std::vector<Party> sites_;
  std::optional<std::string> expected_;
  Time rounds_{};      // that they take undisturbed
  bool over_ = false;  // the run is finished, and its server was killed
};

}  // namespace

KillTrial make_kill_trial(std::uint64_t seed, std::size_t clients) {
  Draws draws(seed);
  KillTrial trial{seed, {}};
  const auto add = [&](Phase phase, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) {
      const auto victim = static_cast<Victim>(draws.below(kVictims.size()));
      const std::size_t client = draws.below(clients);
      const Loss loss = loss_of(victim, draws);
      const double moment = draws.fraction(), left = draws.fraction();
      trial.kills.push_back({phase, victim, client, loss, moment, left});
    }
  };
  add(Phase::SetUp, 1 + draws.below(2));
  add(Phase::Rounds, 2 + draws.below(3));
  add(Phase::End, draws.below(2));
  return trial;
}

std::string describe(const KillTrial& trial) {
  std::string text;
  for (const Kill& kill : trial.kills) {
    text += kind_of(kill) + (takes_client(kill) ? ", " + site_name(kill.client) : "") + ", at " +
            std::to_string(kill.moment) + ", " + std::to_string(kill.left) + " left\n";
  }
  return text;
}

std::size_t KillTally::kills() const {
  std::size_t sum = 0;
  for (const auto& [kind, counts] : kinds) sum += counts.kills;
  return sum;
}

std::string KillTally::text() const {
  std::string text =
      std::to_string(kills()) + " kills in " + std::to_string(runs) + " runs with the bits of their twins\n";
  for (const auto& [kind, counts] : kinds) {
    text += "  " + kind + ": " + std::to_string(counts.kills);
    if (counts.refusals > 0) text += ", of which " + std::to_string(counts.refusals) + " refused in words";
    text += "\n";
  }
  for (const auto& [sentence, count] : words) text += "  " + std::to_string(count) + " x " + sentence + "\n";
  return text;
}

testing::AssertionResult play(const KillTrial& trial, const StartupKit& kit, KillTally& tally) {
  std::optional<Play> run;
  try {
    run.emplace(trial, kit, tally);
    run->run();
    return testing::AssertionSuccess();
  } catch (const std::exception& error) {
    return testing::AssertionFailure() << error.what() << "\nRepeat it with FEDRK_KILLS=1 FEDRK_SEED=" << trial.seed
                                       << "\n"
                                       << describe(trial) << (run ? run->story() : "");
  }
}

}  // namespace fedrk::test

// SPDX-License-Identifier: Apache-2.0

// Rounds over the network against a plain WebSocket echo of the same bytes, masked sums against plain ones, a
// thousand clients against fifty, and the memory that they take at the server. All with mutual TLS on this machine.

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "bench/arguments.hpp"
#include "bench/federation/echo.hpp"
#include "bench/federation/swarm.hpp"
#include "bench/harness.hpp"
#include "bench/machine.hpp"
#include "bench/report.hpp"
#include "checkpoint/journal_engine.hpp"
#include "checkpoint/run_store.hpp"
#include "fedrk/generate.hpp"
#include "fedrk/run.hpp"
#include "methods/method_options.hpp"
#include "support/identities.hpp"
#include "support/local_federation.hpp"
#include "support/tiny_systems.hpp"

namespace {

using namespace fedrk;
using namespace fedrk::bench;
using test::Identities;
using test::or_throw;

struct Settings {
  double seconds = 3.0;
  bool quick = false;
  std::size_t clients = 1000;  // connected at one time
  std::filesystem::path scratch, out;
};

/// Rounds as `fedrk server` makes them: every answer is in run.db before the next round.
class StoredRounds {
 public:
  /// Of FedRK, or of another.
  StoredRounds(Engine& engine, const std::filesystem::path& file, RunOptions options,
               std::optional<MethodOptions> method = {})
      : options_(options),
        method_(std::move(method)),
        store_(or_throw(store::RunStore::create(file, {.id = "bench", .kind = store::RunKind::Server}))),
        journal_(store_, store::CommitPolicy::EachAnswer),
        engine_(engine, journal_) {}

  /// Makes them, and returns the mean time of one in nanoseconds: the look at everyone that ends a run is none.
  double run() {
    store::RoundRecorder recorder(journal_);
    RoundObserver* const observers[] = {&recorder};
    const auto method = method_ ? make_method(*method_, options_, engine_) : nullptr;
    const FederatedRun rounds(options_);
    const RunResult result = method ? rounds.run(engine_, *method, {}, observers) : rounds.run(engine_, {}, observers);
    double seconds = 0.0;
    for (const RoundRecord& record : result.history) seconds += record.seconds;
    return 1e9 * seconds / static_cast<double>(result.history.size());
  }
  double count() const { return options_.rounds; }

 private:
  RunOptions options_;
  std::optional<MethodOptions> method_;
  store::RunStore store_;
  store::RunJournal journal_;
  store::JournalEngine engine_;
};

/// The shortest of the times that each measures of itself, taking turns.
std::pair<double, double> shortest_in_turn(const std::function<double()>& ours, const std::function<double()>& other,
                                           double seconds) {
  std::pair<double, double> shortest{ours(), other()};
  double spent = 0.0;
  for (int turn = 0; turn < 5 || spent < 1e9 * seconds; ++turn) {
    spent += time_of([&] {
      shortest.first = std::min(shortest.first, ours());
      shortest.second = std::min(shortest.second, other());
    });
  }
  return shortest;
}

struct Plan {
  std::string what;
  std::size_t rows, unknowns, clients, asked;
  std::uint64_t local_steps;
  std::size_t keep;
  std::optional<double> at_most{};
};

void round_against_echo(const Settings& settings, const Identities& identities, const Plan& plan, Report& report) {
  const std::uint32_t rounds = settings.quick ? 5 : 100;
  const RunOptions options{.rounds = rounds,
                           .participants = plan.asked,
                           .local_budget = FixedSteps{plan.local_steps},
                           .sparsity = plan.keep,
                           .residual_every = RunOptions::kNever};
  auto problem = generate({.rows = plan.rows, .cols = plan.unknowns, .seed = 1});
  test::LocalFederation federation(test::clients_of(std::move(problem.system), plan.clients, 1), {},
                                   identities.server_files(), 0,
                                   [&](const std::string& name) { return identities.client_files(name); });
  const auto file = settings.scratch / (plan.what.substr(0, 8) + ".db");
  StoredRounds ours(federation.engine(), file, options);
  Echo echo(identities.server_files(), identities.client_files("echo"), plan.clients, plan.unknowns);
  const auto echo_round = [&] {
    return time_of([&] {
             for (std::uint32_t t = 0; t < rounds; ++t) echo.round(plan.asked);
           }) /
           rounds;
  };
  const auto times = shortest_in_turn([&] { return ours.run(); }, echo_round, settings.seconds);
  Ratio ratio{plan.what, "WebSocket echo of the same bytes", times.first / 1e3, times.second / 1e3, "us"};
  ratio.at_most = plan.at_most;
  report.add(ratio);
}

/// Sums whose parts are masked against sums whose parts are not, everyone taking part.
void masked_against_plain(const Settings& settings, const Identities& identities, std::uint64_t local_steps,
                          std::optional<double> at_most, Report& report) {
  constexpr std::size_t kClients = 16, kUnknowns = 1024;
  const RunOptions options{.rounds = settings.quick ? 5U : 30U,
                           .local_budget = FixedSteps{local_steps},
                           .residual_every = RunOptions::kNever};
  const MethodOptions sums{.memory = 5, .reveal = Reveal::Sums};
  const auto clients = [] {
    return test::clients_of(generate({.rows = 2048, .cols = kUnknowns, .seed = 1}).system, kClients, 1);
  };
  const auto tls = [&](const std::string& name) { return identities.client_files(name); };
  const std::string name = fmt::format("-{}.db", local_steps);
  test::ReplayGuards guards(settings.scratch / fmt::format("guards-{}", local_steps));
  network::FederationOptions masked;
  masked.masked = true;
  test::LocalFederation private_ones(clients(), masked, identities.server_files(), 0, tls, &guards);
  test::LocalFederation plain_ones(clients(), {}, identities.server_files(), 0, tls);
  StoredRounds ours(private_ones.engine(), settings.scratch / ("masked" + name), options, sums);
  StoredRounds other(plain_ones.engine(), settings.scratch / ("plain" + name), options, sums);
  const auto times = shortest_in_turn([&] { return ours.run(); }, [&] { return other.run(); }, settings.seconds);
  Ratio ratio{fmt::format("masked sum: n = 1024, 16 of 16, tau = {}", local_steps), "the same sum in the clear",
              times.first / 1e3, times.second / 1e3, "us"};
  ratio.at_most = at_most;
  report.add(ratio);
}

/// Resident memory of this process in bytes: "VmRSS:" now, "VmHWM:" at most so far.
double resident(const char* entry) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(entry)) return 1024.0 * std::stod(line.substr(6));
  }
  return 0.0;
}

/// A server whose clients are a swarm.
class ManyClients {
 public:
  ManyClients(const Identities& identities, Swarm& swarm, std::size_t clients, std::size_t asked,
              const std::filesystem::path& file, std::uint32_t rounds) {
    network::FederationOptions options;
    options.run = "bench";
    options.heartbeat = network::Milliseconds(10'000);  // all join at once: on a busy machine that takes its time
    options.hello_limit = network::Milliseconds(60'000);
    for (std::size_t k = 0; k < clients; ++k) options.clients.push_back(Swarm::name(k));
    server_ = or_throw(network::FederationServer::open(
        {"127.0.0.1:0", identities.server_files(), std::size_t{2} << 30, std::move(options)}, log_));
    swarm.join(server_->port());
    or_throw(server_->gather());
    const RunOptions run{.rounds = rounds, .participants = asked, .residual_every = RunOptions::kNever};
    rounds_ = std::make_unique<StoredRounds>(server_->engine(), file, run);
  }

  double run() {
    const std::clock_t before = std::clock();
    const double time = rounds_->run();
    const double busy = 1e9 * static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC / rounds_->count();
    shortest_busy_ = std::min(shortest_busy_, busy);
    return time;
  }
  /// Time that the processors worked for the server in a round, in nanoseconds; the look at everyone is in it.
  double busy() const { return shortest_busy_; }

 private:
  double shortest_busy_ = 1e30;
  test::NoLog log_;
  std::unique_ptr<network::FederationServer> server_;
  std::unique_ptr<StoredRounds> rounds_;
};

/// The memory of a server by itself, in a process with nothing else in it: the clients are in those of the swarm, and
/// what the other contests left behind is not counted. Must be called before there are threads.
void server_memory(const Settings& settings, const Identities& identities, Swarm& swarm, std::size_t asked,
                   std::size_t clients, Report& report) {
  struct Memory {
    double before, after, most;
  } memory{};
  int ends[2];
  if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t process = ::fork();
  if (process < 0) throw std::runtime_error("no process for the server");
  if (process == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    try {
      memory.before = resident("VmRSS:");
      ManyClients server(identities, swarm, clients, asked, settings.scratch / "memory.db", settings.quick ? 5 : 200);
      server.run();
      memory.after = resident("VmRSS:");
      memory.most = resident("VmHWM:");
      if (::write(ends[1], &memory, sizeof memory) == sizeof memory) ::_exit(0);
    } catch (const std::exception& error) {
      fmt::print(stderr, "bench: the server by itself: {}\n", error.what());
    }
    ::_exit(1);
  }
  ::close(ends[1]);
  const bool told = ::read(ends[0], &memory, sizeof memory) == sizeof memory;
  ::close(ends[0]);
  ::waitpid(process, nullptr, 0);
  if (!told) throw std::runtime_error("the server by itself did not tell its memory");
  constexpr double kLimit = 150.0;  // MB
  Ratio ratio{fmt::format("memory of a server with {} clients, at its peak", clients), "150 MB", memory.most / 1e6,
              kLimit, "MB"};
  ratio.at_most = 1.0;
  report.add(ratio);
  report.notes.push_back(fmt::format("that server holds {:.0f} MB after its rounds, and {:.0f} MB before anybody joins",
                                     memory.after / 1e6, memory.before / 1e6));
  fmt::print("  {}\n", report.notes.back());
}

void many_against_few(const Settings& settings, const Identities& identities, Swarm& few_swarm, Swarm& many_swarm,
                      std::size_t few, std::size_t many, Report& report) {
  const std::uint32_t rounds = settings.quick ? 5 : 200;
  std::unique_ptr<ManyClients> crowd;
  const double joining = time_of([&] {
    crowd = std::make_unique<ManyClients>(identities, many_swarm, many, few, settings.scratch / "many.db", rounds);
  });
  ManyClients group(identities, few_swarm, few, few, settings.scratch / "few.db", rounds);
  const auto times =
      shortest_in_turn([&] { return crowd->run(); }, [&] { return group.run(); }, 3.0 * settings.seconds);
  Ratio ratio{fmt::format("round with {} of {} connected clients", few, many), fmt::format("of {} connected", few),
              times.first / 1e3, times.second / 1e3, "us"};
  ratio.at_most = 1.3;
  report.add(ratio);
  report.add({"the same, work of the server alone", fmt::format("of {} connected", few), crowd->busy() / 1e3,
              group.busy() / 1e3, "us"});
  report.notes.push_back(fmt::format("{} clients joined within {:.1f} s", many, joining / 1e9));
  fmt::print("  {}\n", report.notes.back());
}

void run(const Settings& settings) {
  const std::size_t few = settings.quick ? 3 : 50, many = settings.quick ? 12 : settings.clients, unknowns = 1024;
  std::filesystem::create_directories(settings.scratch);
  const Identities identities(settings.scratch / "identities");
  // All before there are threads.
  Swarm few_swarm(identities, few, unknowns), many_swarm(identities, many, unknowns),
      memory_swarm(identities, many, unknowns);
  Report report;
  report.judged = !settings.quick;
  for (const auto& [name, value] : machine_description()) fmt::print("{}: {}\n", name, value);
  fmt::print("\nfedrk first, then the peer. Shortest of many batches in turn.\n\n");
  server_memory(settings, identities, memory_swarm, few, many, report);
  round_against_echo(settings, identities, {"prostate: n = 9, 3 of 7, tau = 20", 97, 9, 7, 3, 20, 5, 3.0}, report);
  round_against_echo(settings, identities, {"fig1: n = 1024, 5 of 16, tau = 20", 2048, 1024, 16, 5, 20, 0, 3.0},
                     report);
  round_against_echo(settings, identities, {"busy: n = 1024, 5 of 16, tau = 1000", 2048, 1024, 16, 5, 1000, 0}, report);
  masked_against_plain(settings, identities, 20, 2.0, report);
  masked_against_plain(settings, identities, 1000, 2.0, report);
  many_against_few(settings, identities, few_swarm, many_swarm, few, many, report);
  if (settings.out.empty()) return;
  if (const auto written = write_report(report, settings.out); !written) {
    throw std::runtime_error(written.error().message);
  }
  fmt::print("\n{}.json\n", settings.out.string());
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  settings.scratch = std::filesystem::temp_directory_path() / fmt::format("fedrk-bench-{}", ::getpid());
  const auto ended = read_arguments("Rounds over the network, as ratios to a plain WebSocket echo.",
                                    {{"--out", &settings.out, "write STEM.json"},
                                     {"--seconds", &settings.seconds, "for each contest"},
                                     {"--scratch", &settings.scratch, "folder for keys and stores, removed again"},
                                     {"--clients", &settings.clients, "connected at one time"},
                                     {"--quick", &settings.quick, "few clients, to see that everything runs"}},
                                    argc, argv);
  if (ended) return *ended;
  if (settings.quick) settings.seconds = 0.05;
  int exit_code = 0;
  try {
    run(settings);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench: {}\n", error.what());
    exit_code = 1;
  }
  std::error_code ignored;
  std::filesystem::remove_all(settings.scratch, ignored);
  return exit_code;
}

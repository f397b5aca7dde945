// SPDX-License-Identifier: Apache-2.0

// Whole runs: figure 1 against the same loop written plainly, threads, and many clients.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "bench/harness.hpp"
#include "bench/peers.hpp"
#include "bench/ratios.hpp"
#include "experiments/support.hpp"
#include "fedrk/generate.hpp"
#include "fedrk/in_process_engine.hpp"
#include "fedrk/run.hpp"
#include "fedrk/stop_signal.hpp"
#include "linalg/kernels.hpp"
#include "problem/partition.hpp"

namespace fedrk::bench {
namespace {

// Ends a run where the relative error to the truth is small enough.
class StopAtError final : public RoundObserver {
 public:
  StopAtError(std::span<const double> truth, double tolerance)
      : truth_(truth), limit_(tolerance * std::sqrt(squared_norm(truth))) {}
  void on_round(const RoundRecord& record, std::span<const double> x) override {
    rounds_ = record.round.value + 1;
    if (distance(x, truth_) <= limit_) stop_.request();
  }
  const StopSignal& signal() const { return stop_; }
  std::size_t rounds() const { return rounds_; }

 private:
  std::span<const double> truth_;
  double limit_;
  std::size_t rounds_ = 0;
  StopSignal stop_;
};

RunOptions figure_1(std::uint64_t local_steps, std::size_t participants, std::uint32_t rounds) {
  return {.seed = 1,
          .rounds = rounds,
          .participants = participants,
          .local_budget = FixedSteps{local_steps},
          .residual_every = RunOptions::kNever};
}

std::vector<EigenSolver> peers_of(const LinearSystem& system) {
  std::vector<EigenSolver> peers;
  for (auto& part : split(copy_of(system), partition_contiguous(system.rhs.size(), 16))) {
    peers.emplace_back(std::get<Matrix>(part.rows), part.rhs);
  }
  return peers;
}

// Twice: with clients that are ready, and from the rows, where norms, alias tables and inner products are made first.
void whole_figure_1(const Settings& settings, Report& report) {
  const std::size_t rows = settings.quick ? 256 : 2048, cols = rows / 2;
  const std::uint64_t tau = settings.quick ? 100 : 1000;
  const auto problem = generate({.rows = rows, .cols = cols, .seed = 1});
  std::vector<EigenSolver> peers = peers_of(problem.system);
  InProcessEngine ready(experiments::clients_of(copy_of(problem.system), 16, 1), 1);
  std::size_t our_rounds = 0, their_rounds = 0;
  const auto run = [&](InProcessEngine& engine) {
    StopAtError observer(problem.solution, 1e-6);
    RoundObserver* const observers[] = {&observer};
    (void)FederatedRun(figure_1(tau, 5, 5000)).run(engine, {}, observers, &observer.signal());
    our_rounds = observer.rounds();
  };
  const auto plain = [&] { their_rounds = plain_fedrk(peers, 5, tau, 20, problem.solution, 1e-6); };
  const auto times = shortest_times({{"ready", [&] { run(ready); }},
                                     {"Eigen", plain},
                                     {"from the rows",
                                      [&] {
                                        LinearSystem copy = copy_of(problem.system);
                                        InProcessEngine fresh(experiments::clients_of(std::move(copy), 16, 1), 1);
                                        run(fresh);
                                      }},
                                     {"Eigen from the rows",
                                      [&] {
                                        peers = peers_of(problem.system);
                                        plain();
                                      }}},
                                    8.0 * settings.seconds);
  const std::string what = fmt::format("figure 1 to 1e-6, tau = {}, {} rounds", tau, our_rounds);
  const std::string peer = fmt::format("the loop by Eigen, {} rounds", their_rounds);
  report.add(Ratio{what, peer, times[0] / 1e6, times[1] / 1e6, "ms", 0.25});
  report.add(Ratio{what + ", set-up too", "the same, set-up too", times[2] / 1e6, times[3] / 1e6, "ms"});
}

void threads(const Settings& settings, Report& report) {
  const std::size_t rows = settings.quick ? 256 : 2048, cols = rows / 2;
  auto problem = generate({.rows = rows, .cols = cols, .seed = 1});
  InProcessEngine one(experiments::clients_of(copy_of(problem.system), 16, 1), 1);
  InProcessEngine two(experiments::clients_of(std::move(problem.system), 16, 1), 2);
  constexpr std::uint32_t kRounds = 50;
  const auto run = [](InProcessEngine& engine) {
    return [&engine] { keep(FederatedRun(figure_1(1000, 0, kRounds)).run(engine).x.data()); };
  };
  const auto times = shortest_times({{"two", run(two), kRounds}, {"one", run(one), kRounds}}, 2.0 * settings.seconds);
  Ratio ratio{"round of 16 clients, tau = 1000, 2 threads",
              "1 thread (ratio: how many times faster)",
              times[0] / 1e3,
              times[1] / 1e3,
              "us",
              std::nullopt,
              1.7};
  ratio.value = ratio.other / ratio.ours;
  report.add(ratio);
}

}  // namespace

void whole_runs(const Settings& settings, Report& report) {
  whole_figure_1(settings, report);
  threads(settings, report);
}

namespace {

// Pushes everything out of the caches between rounds, outside of what a round's record measures.
class SweepCaches final : public RoundObserver {
 public:
  explicit SweepCaches(std::size_t bytes) : numbers_(bytes / sizeof(double), 1.0) {}
  void on_round(const RoundRecord&, std::span<const double>) override {
    for (std::size_t i = 0; i < numbers_.size(); i += 8) numbers_[i] += 1.0;
    keep(numbers_.data());
  }

 private:
  AlignedVector numbers_;
};

double median_seconds(const RunResult& result) {
  std::vector<double> seconds;
  for (const RoundRecord& record : result.history) seconds.push_back(record.seconds);
  std::ranges::nth_element(seconds, seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2));
  return seconds[seconds.size() / 2];
}

}  // namespace

// Time against clients twice: as it comes, where a small federation lives in the caches and a large one does not, and
// from cold caches, where only the work is left to differ.
void many_clients(const Settings& settings, Report& report) {
  Growth warm{"round of 100 clients with 10 rows", "clients", {}, {}};
  Growth cold{"the same from cold caches", "clients", {}, {}};
  std::vector<std::size_t> sizes{1000, 3000, 10000, 30000, 100000};
  if (settings.quick) sizes = {200, 400};
  SweepCaches sweep(settings.quick ? std::size_t{1} << 20 : std::size_t{512} << 20);
  RoundObserver* const observers[] = {&sweep};
  for (const std::size_t clients : sizes) {
    auto problem = generate({.rows = 10 * clients, .cols = 50, .seed = 1});
    InProcessEngine engine(experiments::clients_of(std::move(problem.system), clients, 1), 1);
    double shortest = 1e300;
    for (int turn = 0; turn < 5; ++turn) {
      shortest = std::min(shortest, median_seconds(FederatedRun(figure_1(20, 100, 500)).run(engine)));
    }
    warm.sizes.push_back(static_cast<double>(clients));
    warm.nanoseconds.push_back(1e9 * shortest);
    const auto swept = FederatedRun(figure_1(20, 100, settings.quick ? 5 : 60)).run(engine, {}, observers);
    cold.sizes.push_back(static_cast<double>(clients));
    cold.nanoseconds.push_back(1e9 * median_seconds(swept));
  }
  report.add(Ratio{fmt::format("round of 100 of {} clients, cold", sizes.back()),
                   fmt::format("100 of {} clients, cold", sizes.front()), cold.nanoseconds.back() / 1e3,
                   cold.nanoseconds.front() / 1e3, "us"});
  report.add(std::move(warm));
  report.add(std::move(cold));
}

}  // namespace fedrk::bench

// SPDX-License-Identifier: Apache-2.0

// Whole runs: figure 1 against the same loop written plainly, threads, and many clients.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "bench/harness.hpp"
#include "bench/peers.hpp"
#include "bench/ratios.hpp"
#include "experiments/support.hpp"
#include "fedrk/base/stop_signal.hpp"
#include "fedrk/engine/in_process_engine.hpp"
#include "fedrk/federated/federated_run.hpp"
#include "fedrk/problem/generators.hpp"
#include "fedrk/problem/partition.hpp"

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

void whole_figure_1(const Settings& settings, Report& report) {
  const std::size_t rows = settings.quick ? 256 : 2048, cols = rows / 2;
  const std::uint64_t tau = settings.quick ? 100 : 1000;
  auto problem = generate({.rows = rows, .cols = cols, .seed = 1});
  std::vector<EigenSolver> peers;
  for (auto& part : split(experiments::copy_of(problem.system), partition_contiguous(rows, 16))) {
    peers.emplace_back(std::get<Matrix>(part.rows), part.rhs);
  }
  InProcessEngine engine(experiments::clients_of(std::move(problem.system), 16, 1), 1);
  std::size_t our_rounds = 0, their_rounds = 0;
  const auto times =
      shortest_times({{"fedrk",
                       [&] {
                         StopAtError observer(problem.solution, 1e-6);
                         RoundObserver* const observers[] = {&observer};
                         (void)FederatedRun(figure_1(tau, 5, 5000)).run(engine, {}, observers, &observer.signal());
                         our_rounds = observer.rounds();
                       }},
                      {"Eigen", [&] { their_rounds = plain_fedrk(peers, 5, tau, 20, problem.solution, 1e-6); }}},
                     4.0 * settings.seconds);
  report.add(Ratio{fmt::format("figure 1 to 1e-6, tau = {}, {} rounds", tau, our_rounds),
                   fmt::format("the loop by Eigen, {} rounds", their_rounds), times[0] / 1e6, times[1] / 1e6, "ms",
                   0.25});
}

void threads(const Settings& settings, Report& report) {
  const std::size_t rows = settings.quick ? 256 : 2048, cols = rows / 2;
  auto problem = generate({.rows = rows, .cols = cols, .seed = 1});
  InProcessEngine one(experiments::clients_of(experiments::copy_of(problem.system), 16, 1), 1);
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

// The rounds of a run without what comes once, before and after: a long run less a short one.
void many_clients(const Settings& settings, Report& report) {
  Growth growth{"round of 100 clients with 10 rows", "clients", {}, {}};
  std::vector<std::size_t> sizes{1000, 3000, 10000, 30000, 100000};
  if (settings.quick) sizes = {200, 400};
  for (const std::size_t clients : sizes) {
    auto problem = generate({.rows = 10 * clients, .cols = 50, .seed = 1});
    InProcessEngine engine(experiments::clients_of(std::move(problem.system), clients, 1), 1);
    constexpr std::uint32_t kShort = 50, kLong = 550;
    const auto run = [&](std::uint32_t rounds) {
      return [&engine, rounds] { keep(FederatedRun(figure_1(20, 100, rounds)).run(engine).x.data()); };
    };
    const auto times = shortest_times({{"short", run(kShort)}, {"long", run(kLong)}}, settings.seconds / 2.0);
    growth.sizes.push_back(static_cast<double>(clients));
    growth.nanoseconds.push_back((times[1] - times[0]) / (kLong - kShort));
  }
  report.add(Ratio{fmt::format("round of 100 of {} clients", sizes.back()),
                   fmt::format("100 of {} clients", sizes.front()), growth.nanoseconds.back() / 1e3,
                   growth.nanoseconds.front() / 1e3, "us"});
  report.add(std::move(growth));
}

}  // namespace fedrk::bench

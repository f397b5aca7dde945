// SPDX-License-Identifier: Apache-2.0

// For tau = infinity on an underdetermined system x^(t) converges to P_C x^(0), C the common solution set: every step
// stays within x^(0) plus the row space.

#include <fmt/format.h>

#include "analysis/observers.hpp"
#include "experiments/judgements.hpp"
#include "experiments/theory_parts.hpp"
#include "fedrk/generate.hpp"
#include "fedrk/in_process_engine.hpp"
#include "fedrk/run.hpp"

namespace fedrk::experiments {

void check_limit(const Settings& settings, const Progress& progress, Findings& findings) {
  const std::size_t rows = settings.quick ? 40 : 80, cols = settings.quick ? 100 : 200, runs = 5;
  const std::uint32_t rounds = settings.quick ? 600 : 1000;
  std::vector<io::Series> series;
  std::vector<double> reached;
  for (std::size_t k = 0; k < runs; ++k) {
    const std::uint64_t seed = trial_seed(settings.seed, k);
    const auto problem = generate({.rows = rows, .cols = cols, .clients = 8, .seed = seed});
    const auto start = gaussian_vector(cols, seed);
    ErrorToTruth error(nearest_solution(problem.system, start));
    const auto part = [&](std::size_t done) { return static_cast<double>(done) / static_cast<double>(runs); };
    ReportRounds report(Stretch(progress, part(k), part(k + 1), "the limit on underdetermined systems"), rounds);
    RoundObserver* const observers[] = {&error, &report};
    InProcessEngine engine(clients_of(copy_of(problem.system), 8, seed), settings.threads);
    RunOptions options;  // tau_g = 20
    options.seed = seed;
    options.rounds = rounds;
    options.participants = 3;
    options.local_budget = ExactProjection{};
    (void)FederatedRun(options).run(engine, start, observers);
    reached.push_back(error.errors().back());
    series.push_back(by_round(fmt::format("run {}", k + 1), error.errors()));
  }

  // The error ends at rounding, 1e-16, times the condition number of some ten.
  findings.judgements.push_back(all_within(
      fmt::format(
          "for tau = infinity x converges to the solution nearest to the start, relative distance after {} rounds",
          rounds),
      reached, 1e-10));
  findings.tables.push_back(table_of("theory-limit", "round", series));
  findings.figures.push_back(
      {"theory-limit",
       fmt::format(
           "{} equations, {} unknowns, so there are many solutions. With exact local projections every run ends at "
           "the one nearest to its start (each run has its own system and its own random start), found here by a "
           "direct solver.",
           rows, cols),
       error_plot("Distance to the solution nearest to the start", "relative distance", std::move(series))});
}

}  // namespace fedrk::experiments

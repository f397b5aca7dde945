// SPDX-License-Identifier: Apache-2.0
#include "experiments/fig1_runs.hpp"

#include <limits>
#include <utility>

#include <fmt/format.h>

#include "analysis/observers.hpp"
#include "methods/fedrk_method.hpp"

namespace fedrk::experiments {
namespace {

std::vector<io::Series> series_of(std::span<const ErrorCurve> curves) {
  std::vector<io::Series> series;
  for (const ErrorCurve& curve : curves) series.push_back(by_round(curve.label, curve.errors, 1.0));
  return series;
}

}  // namespace

Fig1Runs::Fig1Runs(const Fig1Problem& problem, const Settings& settings)
    : Fig1Runs(problem, settings, generate({.rows = problem.rows, .cols = problem.cols, .seed = settings.seed})) {}

Fig1Runs::Fig1Runs(const Fig1Problem& problem, const Settings& settings, GeneratedProblem made)
    : problem_(problem),
      seed_(settings.seed),
      truth_(std::move(made.solution)),
      engine_(clients_of(std::move(made.system), problem.clients, settings.seed), settings.threads) {}

RunOptions Fig1Runs::options() const {
  return {.seed = seed_,
          .rounds = problem_.rounds,
          .participants = problem_.participants,
          .residual_every = std::numeric_limits<std::uint32_t>::max()};  // the error is known here
}

std::vector<double> Fig1Runs::fedrk(std::uint64_t local_steps, const Stretch& stretch) {
  RunOptions run = options();
  run.local_budget = FixedSteps{local_steps};
  FedrkMethod method(run);
  return other(method, stretch);
}

std::vector<double> Fig1Runs::other(Method& method, const Stretch& stretch) {
  ErrorToTruth error(truth_);
  ReportRounds report(stretch, problem_.rounds);
  RoundObserver* const observers[] = {&error, &report};
  (void)FederatedRun(options()).run(engine_, method, {}, observers);
  return error.errors();
}

std::string Fig1Runs::text() const {
  return fmt::format(
      "A {}x{} and x* standard Gaussian, b = A x*; {} clients with even shares of the rows, {} a round, tau_g = 20, {} "
      "rounds from x = 0",
      problem_.rows, problem_.cols, problem_.clients, problem_.participants, problem_.rounds);
}

Figure Fig1Runs::figure(std::string name, std::span<const ErrorCurve> curves, std::string caption) const {
  return {std::move(name), std::move(caption),
          error_plot("Relative error against rounds", "relative error", series_of(curves))};
}

Table Fig1Runs::table(std::string name, std::span<const ErrorCurve> curves) const {
  return table_of(std::move(name), "round", series_of(curves));
}

}  // namespace fedrk::experiments

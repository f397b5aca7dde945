// SPDX-License-Identifier: Apache-2.0

// The contradicting equations of figure 3: where the methods hover, and those that arrive.

#include <fmt/format.h>

#include "analysis/observers.hpp"
#include "experiments/beyond_parts.hpp"
#include "experiments/beyond_runs.hpp"
#include "experiments/judgements_beyond.hpp"
#include "fedrk/generate.hpp"
#include "methods/conjugate_gradients.hpp"

namespace fedrk::experiments {
namespace {

constexpr double kLevel = 1e-6;

struct Size {
  std::size_t rows = 2048, cols = 256, clients = 16;
  std::size_t width = 1024;  // of the widened system: where figure 3 has its least
  std::uint32_t rounds = 1000;
  std::size_t most_with_all = 45;  // rounds
};
constexpr Size kFull{};
constexpr Size kQuick{.rows = 512, .cols = 64, .width = 256, .rounds = 400};

// FedRK with noise columns, which its clients hold.
ErrorCurve with_noise_columns(const Size& size, const LinearSystem& system, const std::vector<double>& truth,
                              const Settings& settings) {
  RunOptions run;
  run.seed = settings.seed;
  run.rounds = size.rounds;
  run.noise_columns = size.width - size.cols;
  InProcessEngine engine(clients_of(copy_of(system), size.clients, settings.seed, run.noise_columns), settings.threads);
  ErrorToTruth error(truth);
  RoundObserver* const observers[] = {&error};
  (void)FederatedRun(run).run(engine, {}, observers);
  return {fmt::format("published, noise columns to {}", size.width), error.errors()};
}

}  // namespace

void compare_on_least_squares(const Settings& settings, const Progress& progress, Findings& findings) {
  const Size& size = settings.quick ? kQuick : kFull;
  const auto problem =
      generate({.kind = ProblemKind::Inconsistent, .rows = size.rows, .cols = size.cols, .seed = settings.seed});
  const auto truth = nearest_solution(problem.system, std::vector<double>(size.cols, 0.0));
  BeyondRuns runs(problem.system, truth, size.clients, settings, progress, 3);
  RunOptions run;  // tau = tau_g = 20, everybody takes part: as in figure 3
  run.rounds = size.rounds;
  const MethodOptions by_fedrk{.name = MethodName::Fedrk},
      tail{.name = MethodName::Fedrk, .average = TailBurnIn{size.rounds / 5}};
  const ErrorCurve plain = runs.by_options("published", by_fedrk, run);
  const ErrorCurve averaged = runs.by_options("published, tail average", tail, run);
  const ErrorCurve widened = with_noise_columns(size, problem.system, truth, settings);
  ConjugateGradients method({.tolerance = 0.0}, runs.engine().roster());
  const ErrorCurve conjugate = runs.by_method(fmt::format("conjugate gradients, all {}", size.clients), method, run);
  findings.judgements.push_back(arrives_within("contradicting equations are solved for least squares",
                                               std::vector{conjugate}, kLevel, size.most_with_all));
  findings.judgements.push_back(
      stays_above("FedRK and its remedies stay above the relative error", std::vector{plain, widened, averaged}, 0.03));
  const std::vector<ErrorCurve> curves{conjugate, averaged, widened, plain};
  auto plot =
      error_plot("Distance to the least-squares solution against rounds", "relative distance", series_of(curves));
  plot.log_x = true;
  findings.tables.push_back(table_of("beyond-least-squares", "round", series_of(curves)));
  findings.tables.push_back(rounds_table("beyond-least-squares-rounds", curves, kLevel));
  findings.figures.push_back(
      {"beyond-least-squares",
       fmt::format(
           "The system of figure 3, {}x{}, whose equations contradict each other: relative distance to the "
           "least-squares solution that a direct solver finds. By conjugate gradients the server sees one sum over "
           "all {} clients in a round. The tail average is the mean of the iterates after round {}. Rounds are "
           "on a logarithmic axis.",
           size.rows, size.cols, size.clients, size.rounds / 5),
       std::move(plot)});
}

}  // namespace fedrk::experiments

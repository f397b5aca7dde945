// SPDX-License-Identifier: Apache-2.0
#include "run_plan.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "fedrk/analysis/error_to_truth.hpp"
#include "fedrk/analysis/horizon.hpp"
#include "fedrk/analysis/selection_counts.hpp"
#include "fedrk/federated/run_ended.hpp"
#include "fedrk/methods/refit.hpp"
#include "fedrk/methods/sparse_kaczmarz.hpp"
#include "horizon_words.hpp"
#include "output.hpp"
#include "privacy_check.hpp"

namespace fedrk::app {
namespace {

// A refit may take as many rounds again.
std::uint32_t most_rounds(const MethodOptions& method, const RunOptions& options) {
  const std::uint64_t most = std::uint64_t{options.rounds} * (method.refit ? 2 : 1);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(most, std::numeric_limits<std::uint32_t>::max()));
}

// Least squares on what was selected: the entries kept most often, or those that soft thresholding left.
void add_refit(Engine& engine, const io::Plan& plan, const RunOptions& options, const SelectionCounts& selection,
               std::span<RoundObserver* const> observers, const StopSignal* stop, RunResult& result) {
  RefitOptions wanted{.run = options, .keep = options.sparsity};
  wanted.run.first_round = static_cast<std::uint32_t>(result.history.size());
  const std::vector<std::uint64_t>& counts = selection.counts();
  for (const std::size_t j : most_selected(counts)) {
    const auto entry = static_cast<std::uint32_t>(j);
    if (plan.method.soft == 0.0) {
      if (wanted.support.size() < options.sparsity) wanted.support.push_back(entry);
    } else if (2 * counts[j] >= result.history.size()) {
      wanted.often.push_back(entry);  // x moves on; what it held most of the time may be missing at the end
    }
  }
  Refit made = refit(engine, wanted, result.x, observers, stop);
  result.x = std::move(made.result.x);
  result.relative_residual = made.result.relative_residual;
  result.bytes_up += made.result.bytes_up;
  result.bytes_down += made.result.bytes_down;
  result.earlier_seconds += made.result.earlier_seconds;
  if (broken_off(made.result.termination)) result.termination = made.result.termination;
  std::ranges::move(made.result.history, std::back_inserter(result.history));
  std::ranges::move(made.result.notes, std::back_inserter(result.notes));
}

// The refit may be broken off before its first fit; the rounds before it stand.
void refit_as_planned(Engine& engine, const io::Plan& plan, const RunOptions& options, const SelectionCounts& selection,
                      std::span<RoundObserver* const> observers, const StopSignal* stop, io::FinishedRun& run) {
  const std::size_t before = run.result.history.size();
  try {
    add_refit(engine, plan, options, selection, observers, stop, run.result);
  } catch (const RunEnded& ended) {
    run.result.termination = ended.why();
    run.result.relative_residual.reset();
    if (!ended.words().empty()) run.result.notes.push_back(ended.words());
  }
  run.refit_rounds = run.result.history.size() - before;
}

// A tolerance that somebody gave must be met; else only a run that ended by it, or by itself, knows.
std::optional<bool> converged_of(const io::Plan& plan, const RunResult& result) {
  const double asked = plan.tolerance.value_or(0.0);
  if (broken_off(result.termination) || result.termination == Termination::Diverged) return false;
  if (result.termination == Termination::Tolerance) return true;
  if (result.termination == Termination::Converged && (result.fits || asked == 0.0)) return true;
  if (plan.goal == io::Goal::Fit) return false;
  return asked > 0.0 ? std::optional(result.relative_residual.value_or(1.0) <= asked) : std::nullopt;
}

// What a residual that stands still means depends on the method: others than the published tell it in their notes.
void judge(const io::Plan& plan, io::FinishedRun& run) {
  const bool ended_early = plan.tolerance.value_or(0.0) > 0.0 && run.result.termination == Termination::RoundLimit;
  if (plan.method.is_published(plan.run)) {
    run.convergence = convergence_of(find_horizon(run.result.history), plan, ended_early);
  } else if (run.result.termination == Termination::Converged) {
    run.convergence.progress = "converged";
  }
  const bool solved = run.convergence.progress == "at_rounding";
  if (!solved && !run.convergence.words.empty()) run.warnings.push_back(run.convergence.words);
}

io::FinishedRun unfinished(const std::string& title, const io::Plan& plan, const Engine& engine,
                           const io::Problem& problem) {
  io::FinishedRun run;
  run.title = title;
  run.plan = plan;
  run.plan.settle(engine.roster());
  run.rows = problem.rows;
  run.sparse = problem.sparse;
  run.standardized = problem.scaling.has_value();
  run.unknowns = problem.unknowns;
  for (const ClientSummary& client : engine.roster()) {
    run.client_names.push_back(client.name);
    run.client_rows.push_back(client.rows);
  }
  return run;
}

}  // namespace

io::FinishedRun run_plan(Engine& engine, const io::Plan& plan, io::Problem problem, const RunPlanOptions& wanted) {
  io::FinishedRun run = unfinished(wanted.title, plan, engine, problem);
  const RunOptions options = run.plan.run_options();
  const std::string expected = privacy_forecast_words(run.plan, engine.roster(), engine.dimension());
  if (!expected.empty()) say("fedrk: forecast: " + expected + '\n');
  ProgressDisplay progress(wanted.progress, most_rounds(plan.method, options));
  SelectionCounts selection;
  ErrorToTruth error(problem.truth);
  std::vector<RoundObserver*> watching{&progress};
  watching.insert(watching.end(), wanted.observers.begin(), wanted.observers.end());
  if (!problem.truth.empty()) watching.push_back(&error);
  std::vector<RoundObserver*> observers = watching;
  const bool soft = plan.method.soft > 0.0;
  if (soft ? plan.method.refit : options.sparsity > 0) observers.push_back(&selection);

  const auto start = std::chrono::steady_clock::now();
  MethodOptions chosen = plan.method;
  if (plan.goal == io::Goal::Fit && chosen.ridge == 0.0) chosen.least_squares = true;
  const auto method = make_method(chosen, options, engine);
  if (soft) problem.start = dual_of(problem.start, plan.method.soft);
  run.result = FederatedRun(options).run(engine, *method, problem.start, observers, wanted.stop);
  if (plan.method.refit && !broken_off(run.result.termination)) {
    refit_as_planned(engine, plan, options, selection, watching, wanted.stop, run);
  }
  run.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() + run.result.earlier_seconds;
  progress.finish();

  run.coefficients = problem.coefficients(run.result.x);
  if (!soft) run.selection_counts = selection.counts();
  run.errors = error.errors();
  run.selection_order = most_selected(run.selection_counts);
  run.warnings = std::move(problem.warnings);
  judge(plan, run);
  run.converged = converged_of(plan, run.result);
  if (!expected.empty()) run.result.notes.push_back("The forecast was: " + expected + ".");
  return run;
}

}  // namespace fedrk::app

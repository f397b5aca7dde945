// SPDX-License-Identifier: Apache-2.0
#include "api/run_plan.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "analysis/horizon.hpp"
#include "analysis/observers.hpp"
#include "methods/refit.hpp"
#include "methods/sparse_kaczmarz.hpp"
#include "report/privacy_forecast_text.hpp"
#include "report/run_text.hpp"
#include "report/text.hpp"
#include "round/run_aborted.hpp"

namespace fedrk::api {
namespace {

/// Shows an observer x in the units of the data.
class InDataUnits final : public RoundObserver {
 public:
  InDataUnits(const io::Problem& problem, RoundObserver& inner) : problem_(problem), inner_(inner) {}
  void on_round(const RoundRecord& record, std::span<const double> x) override {
    inner_.on_round(record, problem_.coefficients(x));
  }
  void state(StateStream& stream) override { inner_.state(stream); }

 private:
  const io::Problem& problem_;
  RoundObserver& inner_;
};

// Least squares on what was selected: the entries kept most often, or those that soft thresholding left. The intercept
// is one of them, always.
void add_refit(Engine& engine, const io::Plan& plan, const RunOptions& options, const SelectionCounts& selection,
               std::span<RoundObserver* const> observers, const StopSignal* stop, RunResult& result) {
  RefitOptions wanted{.run = options, .keep = options.sparsity};
  wanted.run.first_round = static_cast<std::uint32_t>(result.history.size());
  const std::vector<std::uint64_t>& counts = selection.counts();
  if (plan.method.soft == 0.0 && plan.intercept) wanted.support.push_back(0);
  for (const std::size_t j : most_selected(counts)) {
    const auto entry = static_cast<std::uint32_t>(j);
    if (plan.method.soft == 0.0) {
      const bool there = std::ranges::find(wanted.support, entry) != wanted.support.end();
      if (wanted.support.size() < options.sparsity && !there && counts[j] > 0) wanted.support.push_back(entry);
    } else if (2 * counts[j] >= result.history.size()) {
      wanted.often.push_back(entry);  // x moves on; what it held most of the time may be missing at the end
    }
  }
  Refit made = refit(engine, wanted, result.x, observers, stop);
  result.x = std::move(made.result.x);
  result.relative_residual = made.result.relative_residual;
  result.converged = made.result.converged;
  result.criterion = made.result.criterion;
  result.bytes_up += made.result.bytes_up;
  result.bytes_down += made.result.bytes_down;
  result.earlier_seconds += made.result.earlier_seconds;
  if (resumable(made.result.termination)) result.termination = made.result.termination;
  std::ranges::move(made.result.history, std::back_inserter(result.history));
  std::ranges::move(made.result.notes, std::back_inserter(result.notes));
}

// The refit may be broken off before its first fit; the rounds before it stand.
void refit_as_planned(Engine& engine, const io::Plan& plan, const RunOptions& options, const SelectionCounts& selection,
                      std::span<RoundObserver* const> observers, const StopSignal* stop, io::FinishedRun& run) {
  const std::size_t before = run.result.history.size();
  try {
    add_refit(engine, plan, options, selection, observers, stop, run.result);
  } catch (const RunAborted& ended) {
    run.result.termination = ended.why();
    run.result.relative_residual.reset();
    run.result.converged = false;
    if (!ended.reason().empty()) run.result.notes.push_back(ended.reason());
  }
  run.refit_rounds = run.result.history.size() - before;
}

std::string names_of(const io::FinishedRun& run, std::span<const std::size_t> unknowns) {
  std::string text;
  for (const std::size_t j : unknowns) text += (text.empty() ? "" : ", ") + run.unknowns[j];
  return text;
}

// What a fit found out beside its coefficients.
void take_summary(const FitSummary& summary, io::FinishedRun& run) {
  run.fit = summary;
  if (!summary.coefficients.empty()) run.coefficients = summary.coefficients;
  for (std::size_t k = 0; k < summary.not_estimable.size(); ++k) {
    const std::string& name = run.unknowns[summary.not_estimable[k]];
    const std::string others = names_of(run, summary.combined_of[k]);
    run.not_estimable.push_back(name);
    run.warnings.push_back(
        others.empty()
            ? fmt::format("Column '{}' is constant: it has no coefficient.", name)
            : fmt::format("Column '{}' is a combination of {}: it has no coefficient of its own.", name, others));
  }
}

std::string unconverged_text(const io::FinishedRun& run) {
  const RunResult& result = run.result;
  const double tolerance = run.resolved.run.tolerance;
  std::string text = "Not converged: ";
  if (result.fits) {
    text += result.criterion
                ? fmt::format("the criterion is {}, the tolerance {}.", brief(*result.criterion), brief(tolerance))
                : std::string("the fit ended before its criterion could be measured.");
  } else if (!result.relative_residual) {
    text += "the residual over all clients is not known.";
  } else {
    text += fmt::format("the relative residual is {}, the tolerance {}.", brief(*result.relative_residual),
                        brief(tolerance));
  }
  const bool hovers = run.convergence.progress == "hovering" || run.convergence.progress == "at_rest";
  if (result.termination == Termination::DisclosureLimit) {
    return text +
           " The owners of the rows let sums show no more of them (max-share): fewer columns or larger groups "
           "(--participants) need less, and an owner may allow more.";
  }
  if (result.termination == Termination::RoundLimit && !hovers) text += " More rounds (--rounds) may help.";
  if (result.fits && result.method == "cg" && result.termination == Termination::Stagnation) {
    text += " Columns are nearly combinations of others: --method gram computes with twice the precision.";
  }
  if (run.plan.method.average && result.termination == Termination::Stagnation) {
    text += " The answer is the mean of the iterates; leave --average out for the best of them.";
  } else if (!result.fits && result.termination != Termination::RoundLimit) {
    text += " Where the rows are data with noise, use fedrk fit, or --least-squares.";
  }
  return text;
}

// Whatever is not as it should be is said, whatever else is shown.
void judge(io::FinishedRun& run) {
  if (std::string idle = io::without_effect(run.plan); !idle.empty()) run.warnings.push_back(std::move(idle));
  const bool converged = run.result.converged.value_or(true);
  if (is<FedRk>(run.resolved.goal) && !run.resolved.refit) {
    run.convergence = convergence_of(find_horizon(run.result.history), run.plan, !converged);
  }
  if (run.result.converged == true) run.convergence.progress = "converged";
  for (const ClientId client : run.result.left_out) {
    run.warnings.push_back(
        fmt::format("{} stayed away and was left out: the fit is that of the others.", run.client_names[client.value]));
  }
  if (converged) return;
  // A method that has come as far as it can need not have arrived, and the mean of its iterates even less.
  if (run.result.termination == Termination::Converged) run.result.termination = Termination::Stagnation;
  run.warnings.push_back(unconverged_text(run));
  if (!run.convergence.message.empty()) run.warnings.push_back(run.convergence.message);
}

io::FinishedRun unfinished(const std::string& title, const io::Plan& plan, const Engine& engine,
                           const io::Problem& problem) {
  io::FinishedRun run;
  run.title = title;
  run.plan = plan;
  run.resolved = io::resolve(plan, engine.roster());
  run.rows = problem.rows;
  run.sparse = problem.sparse;
  run.standardized = plan.standardize;
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
  const auto privately = mechanism_of(plan, engine.roster(), engine.dimension());
  MethodOptions method_options = plan.method;
  if (privately) {
    method_options.privacy = privately->options;
    run.resolved.goal = Private{privately->options};
    run.resolved.run = run_options_for(run.resolved.goal, run.resolved.run);
  }
  RunOptions options = run.resolved.run;
  options.min_group = wanted.min_group;
  options.last_iterate = run.resolved.refit;  // what was selected is fitted anew
  const std::string expected = privacy_forecast_text(plan, engine.roster(), engine.dimension());
  SelectionCounts selection;
  ErrorToTruth error(problem.truth);
  InDataUnits in_data_units(problem, error);
  std::vector<RoundObserver*> watching = wanted.observers;
  if (!problem.truth.empty()) watching.push_back(&in_data_units);
  std::vector<InDataUnits> told;
  told.reserve(wanted.data_observers.size());
  for (RoundObserver* const observer : wanted.data_observers) {
    watching.push_back(&told.emplace_back(problem, *observer));
  }
  std::vector<RoundObserver*> observers = watching;
  const bool soft = plan.method.soft > 0.0;
  if (soft ? plan.method.refit : options.sparsity > 0) observers.push_back(&selection);

  const auto start = std::chrono::steady_clock::now();
  const auto planned = wanted.method == nullptr ? make_method(method_options, options, engine, problem.fit) : nullptr;
  Method& method = planned ? *planned : *wanted.method;
  if (soft) problem.start = dual_of(problem.start, plan.method.soft);
  run.result = FederatedRun(options).run(engine, method, problem.start, observers, wanted.stop);
  if (run.resolved.refit && !resumable(run.result.termination)) {
    if (wanted.on_refit) wanted.on_refit(run.result.history.size());
    refit_as_planned(engine, plan, options, selection, watching, wanted.stop, run);
  }
  run.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() + run.result.earlier_seconds;

  run.coefficients = problem.coefficients(run.result.x);
  if (!soft) run.selection_counts = selection.counts();
  run.errors = error.errors();
  run.selection_order = most_selected(run.selection_counts);
  run.warnings = std::move(problem.warnings);
  run.method = run.result.method;
  run.converged = run.result.converged;
  if (const FitSummary* summary = method.fit()) take_summary(*summary, run);
  if (!problem.fit.spread.empty()) {
    // The intercept is the value at the centres, as x has it.
    for (std::size_t j = problem.intercept ? 1 : 0; j < run.result.x.size(); ++j) {
      run.result.x[j] = run.coefficients[j] * problem.fit.spread[j];
    }
  }
  judge(run);
  if (!expected.empty()) run.result.notes.push_back("The forecast was: " + expected + ".");
  return run;
}

}  // namespace fedrk::api

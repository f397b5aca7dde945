// SPDX-License-Identifier: Apache-2.0
#include "plan/plan.hpp"

#include <fmt/format.h>

#include "data/powers.hpp"
#include "fedrk/error.hpp"
#include "plan/plan_options.hpp"

namespace fedrk::io {

namespace fs = std::filesystem;

std::string Plan::group_by() const { return partition.starts_with("by:") ? partition.substr(3) : ""; }

void Plan::set_job(Job wanted) {
  job = wanted;
  method.fit = job == Job::Fit;
  if (default_intercept) intercept = job == Job::Fit;
}

namespace {

ColumnScaling column_scaling(const Plan& plan, const Goal& goal) {
  if (is<LeastSquares>(goal)) return ColumnScaling::Framed;
  if (plan.standardize) return ColumnScaling::Standardized;
  return is<Equations>(goal) && plan.run.sparsity == 0 ? ColumnScaling::Equilibrated : ColumnScaling::AsTheyAre;
}

}  // namespace

ResolvedPlan resolve(const Plan& plan, std::span<const ClientSummary> roster) {
  constexpr std::uint32_t kPatience = 100;
  const Goal goal = goal_of(plan.method, plan.run);
  ResolvedPlan decided{goal, plan.method.refits(plan.run), column_scaling(plan, goal), plan.steps, plan.run};
  decided.steps.sampling = plan.row_sampling.value_or(default_sampling(goal));
  RunOptions& run = decided.run;
  if (plan.local_steps) {
    run.local_budget = *plan.local_steps;
  } else if (!roster.empty()) {
    run.local_budget = default_local_budget(goal, roster, plan.steps.gram_memory);
  }
  run.rounds = plan.rounds.value_or(default_rounds(goal, run, roster.size()));
  const bool floats = plan.storage == Storage::Float32;
  run.tolerance = plan.tolerance.value_or(floats ? Plan::kDefaultFloatTolerance : Plan::kDefaultTolerance);
  const bool may_stagnate = !ends_by_itself(goal) && plan.tolerance.value_or(0.0) > 0.0;
  run = run_options_for(goal, run);
  run.patience = plan.patience.value_or(may_stagnate ? kPatience : 0);
  return decided;
}

namespace {

// Equations and data have different methods; what only one of them has is no entry of the other's plan.
Result<void> check_goal(const Plan& plan) {
  const bool by_name = plan.method.name == MethodName::Gram || plan.method.name == MethodName::Cg;
  const bool fits = plan.job == Job::Fit || plan.method.least_squares || plan.method.ridge > 0.0;
  if (by_name && !fits) {
    return Error{fmt::format("--method {} is for fits: fedrk fit, or --least-squares", to_text(plan.method.name))};
  }
  if (plan.job == Job::Solve) return {};
  if (plan.method.name == MethodName::Fedrk) {
    return Error{"FedRK solves equations: a fit takes --method auto, gram or cg"};
  }
  const Plan usual;
  for (const PlanOption& option : plan_options()) {
    if (is_for(option, Job::Fit) || option.get(plan) == option.get(usual)) continue;
    return Error{fmt::format("{} is for fedrk solve: a fit has no such entry, so leave it out", option.name)};
  }
  return {};
}

}  // namespace

Result<void> check(const Plan& plan) {
  const std::size_t files = plan.data.size() + plan.matrix.size();
  if (files == 0) {
    return Error{
        "no data: give tables (.csv, .svm) with --target COLUMN, or matrices (.mtx, .npy) each with its --rhs FILE"};
  }
  if (!plan.data.empty() && !plan.matrix.empty()) {
    return Error{"--data and --matrix cannot be mixed: give every client's rows in the same way"};
  }
  if (plan.matrix.size() != plan.rhs.size()) {
    return Error{fmt::format("{} --matrix but {} --rhs: each matrix needs its right-hand side", plan.matrix.size(),
                             plan.rhs.size())};
  }
  if (files > 1 && plan.clients > 0) {
    return Error{"--clients splits one file; with several files each is one client, so leave it out"};
  }
  if (files > 1 && plan.partition != "contiguous") {
    return Error{"--partition and --site split one file; several are given"};
  }
  if (!plan.group_by().empty() && (plan.clients > 0 || plan.data.empty())) {
    return Error{
        "--site COLUMN (or --partition by:COLUMN) makes one client for each value in a table, so leave --clients out"};
  }
  if ((!plan.truth.empty() || !plan.start.empty()) && (plan.standardize || plan.intercept)) {
    return Error{plan.job == Job::Fit
                     ? "--truth speaks of the columns as they are: add --no-intercept, leave out --standardize"
                     : "--truth and --start speak of the columns as they are: leave out --standardize and --intercept"};
  }
  for (const std::string& entry : plan.powers) {
    if (const auto power = parse_powers(entry); !power) return Error{"powers: " + power.error().message};
  }
  return check_method(plan);
}

Result<void> check_method(const Plan& plan) {
  if (const auto fine = check_goal(plan); !fine) return fine.error();
  try {
    RunOptions asked = plan.run;
    if (plan.local_steps) asked.local_budget = *plan.local_steps;
    asked.tolerance = plan.tolerance.value_or(0.0);
    plan.method.validate(asked);
  } catch (const InvalidArgument& error) {
    return Error{error.what()};
  }
  if (plan.method.privacy.on() && plan.standardize) {
    return Error{
        "--standardize tells the sums of the columns without noise, so it does not go with --epsilon: bring the "
        "columns "
        "to a common scale beforehand, by bounds that are known without the data"};
  }
  if (plan.method.privacy.on() && (plan.local_steps || plan.row_sampling)) {
    return Error{
        "--local-steps and --row-sampling are not for --epsilon, with which every row is used once a round, in random "
        "order: leave them out"};
  }
  if (plan.method.privacy.on() && plan.patience.value_or(0) > 0) {
    return Error{"--patience waits for residuals, which are not private: leave it out with --epsilon"};
  }
  if (plan.method.soft > 0.0 && plan.row_sampling == RowSampling::Greedy) {
    return Error{"--sparse draws rows; --row-sampling greedy is not for it"};
  }
  constexpr std::size_t kMaxNoise = 1'000'000'000;
  if (plan.run.noise_columns > kMaxNoise) return Error{fmt::format("--noise-columns: at most {}", kMaxNoise)};
  return {};
}

std::string without_effect(const Plan& plan) {
  const RunOptions usual;
  const Goal goal = goal_of(plan.method, plan.run);
  const auto* equations = std::get_if<Equations>(&goal);
  // Over one sum there is one step to make; with a memory, x is projected onto all hyperplanes of it.
  const bool samples =
      is<FedRk>(goal) || (equations != nullptr && equations->memory == 0 && equations->reveal == Reveal::Updates);
  const bool steps = samples || is<SparseEquations>(goal);
  std::string names;
  if (!steps && plan.run.server_budget != usual.server_budget) names = "--server-steps";
  if (!samples && plan.run.server_sampling != usual.server_sampling) {
    names += std::string(names.empty() ? "" : " and ") + "--server-sampling";
  }
  if (names.empty()) return "";
  return fmt::format(
      "{} had no effect: only with --method fedrk, or --reveal updates and --memory 0, the server draws "
      "among single updates.",
      names);
}

Result<void> read_plan(const fs::path& path, Plan& plan) { return read_options(path, "a plan", plan_options(), plan); }

std::string plan_text(const Plan& plan, const fs::path& folder) {
  return fmt::format(
             "# The plan of a fedrk run, complete with its defaults. With data in it, fedrk {} plan.toml repeats it.\n",
             to_text(plan.job)) +
         options_text(plan_options(), plan, folder, [&](const PlanOption& option) { return is_for(option, plan.job); });
}

}  // namespace fedrk::io

// SPDX-License-Identifier: Apache-2.0
#include "fedrk/io/plan.hpp"

#include <fmt/format.h>

#include "fedrk/base/error.hpp"
#include "fedrk/io/plan_options.hpp"
#include "fedrk/io/powers.hpp"

namespace fedrk::io {

namespace fs = std::filesystem;

std::string Plan::group_by() const { return partition.starts_with("by:") ? partition.substr(3) : ""; }

void Plan::set_goal(Goal wanted) {
  goal = wanted;
  method.fit = goal == Goal::Fit;
  if (usual_intercept) intercept = goal == Goal::Fit;
}

ColumnScaling Plan::column_scaling() const {
  if (method.fits()) return ColumnScaling::Framed;
  if (standardize) return ColumnScaling::Standardized;
  const bool by_hyperplanes = !method.is_published(run) && !method.privacy.on() && method.soft == 0.0;
  return by_hyperplanes && run.sparsity == 0 ? ColumnScaling::Equilibrated : ColumnScaling::AsTheyAre;
}

void Plan::settle(std::span<const ClientSummary> roster) {
  if (usual_rounds && (method.privacy.on() || !roster.empty())) {
    run.rounds = fedrk::usual_rounds(method, run, roster.size());
  }
  if (usual_sampling) steps.sampling = fedrk::usual_sampling(method, run);
  if (usual_local_steps && !roster.empty()) {
    run.local_budget = usual_local_budget(method, run, roster, steps.gram_memory);
  }
}

RunOptions Plan::run_options() const {
  constexpr std::uint32_t kPatience = 100;
  RunOptions wanted = run;
  wanted.tolerance = tolerance.value_or(storage == Storage::Float32 ? kUsualFloatTolerance : kUsualTolerance);
  RunOptions options = run_options_for(method, wanted);
  const bool hovers = !method.ends_by_itself(run);
  if (usual_rounds && method.privacy.on()) options.rounds = fedrk::usual_rounds(method, run, 0);  // not settled yet
  options.patience = patience.value_or(hovers && tolerance.value_or(0.0) > 0.0 ? kPatience : 0);
  return options;
}

namespace {

// Equations and data have different methods; what only one of them has is no entry of the other's plan.
Result<void> check_goal(const Plan& plan) {
  const bool by_name = plan.method.name == MethodName::Gram || plan.method.name == MethodName::Cg;
  const bool fits = plan.goal == Goal::Fit || plan.method.least_squares || plan.method.ridge > 0.0;
  if (by_name && !fits) {
    return Error{fmt::format("--method {} is for fits: fedrk fit, or --least-squares", to_text(plan.method.name))};
  }
  if (plan.goal == Goal::Solve) return {};
  if (plan.method.name == MethodName::Published) {
    return Error{"the published method solves equations: a fit takes --method auto, gram or cg"};
  }
  const Plan usual;
  for (const PlanOption& option : plan_options()) {
    if (is_for(option, Goal::Fit) || option.get(plan) == option.get(usual)) continue;
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
    return Error{plan.goal == Goal::Fit
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
  if (plan.method.privacy.on() && !(plan.usual_local_steps && plan.usual_sampling)) {
    return Error{
        "--local-steps and --row-sampling are not for --epsilon, with which every row is used once a round, in random "
        "order: leave them out"};
  }
  if (plan.method.privacy.on() && plan.patience.value_or(0) > 0) {
    return Error{"--patience waits for residuals, which are not private: leave it out with --epsilon"};
  }
  if (plan.method.soft > 0.0 && plan.steps.sampling == RowSampling::Greedy && !plan.usual_sampling) {
    return Error{"--sparse draws rows; --row-sampling greedy is not for it"};
  }
  constexpr std::size_t kMostNoise = 1'000'000'000;
  if (plan.run.noise_columns > kMostNoise) return Error{fmt::format("--noise-columns: at most {}", kMostNoise)};
  return {};
}

Result<void> read_plan(const fs::path& path, Plan& plan) { return read_options(path, "a plan", plan_options(), plan); }

std::string plan_text(const Plan& plan, const fs::path& folder) {
  return fmt::format(
             "# The plan of a fedrk run, complete with its defaults. With data in it, fedrk {} plan.toml repeats it.\n",
             to_text(plan.goal)) +
         options_text(plan_options(), plan, folder,
                      [&](const PlanOption& option) { return is_for(option, plan.goal); });
}

}  // namespace fedrk::io

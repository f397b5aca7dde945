// SPDX-License-Identifier: Apache-2.0
#include "fedrk/io/plan.hpp"

#include <fmt/format.h>

#include "fedrk/base/error.hpp"
#include "fedrk/io/plan_options.hpp"

namespace fedrk::io {

namespace fs = std::filesystem;

std::string Plan::group_by() const { return partition.starts_with("by:") ? partition.substr(3) : ""; }

void Plan::settle(std::span<const ClientSummary> roster) {
  if (usual_rounds && method.privacy.on()) run.rounds = fedrk::usual_rounds(method);
  if (usual_sampling) steps.sampling = fedrk::usual_sampling(method, run);
  if (usual_local_steps && !roster.empty()) {
    run.local_budget = usual_local_budget(method, run, roster, steps.gram_memory);
  }
}

RunOptions Plan::run_options() const {
  constexpr std::uint32_t kPatience = 100;
  RunOptions options = run_options_for(method, run);
  const bool hovers = !method.ends_by_itself(run);
  if (usual_rounds && method.privacy.on()) options.rounds = fedrk::usual_rounds(method);  // also where nobody settled
  options.patience = patience.value_or(hovers && run.tolerance > 0.0 ? kPatience : 0);
  return options;
}

Result<void> check(const Plan& plan) {
  const std::size_t files = plan.data.size() + plan.matrix.size();
  if (files == 0) return Error{"no data: give --data FILE with --target COLUMN, or --matrix FILE with --rhs FILE"};
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
  if (files > 1 && plan.partition != "contiguous") return Error{"--partition splits one file; several are given"};
  if (!plan.group_by().empty() && (plan.clients > 0 || plan.data.empty())) {
    return Error{"--partition by:COLUMN makes one client for each value in a --data table, so leave --clients out"};
  }
  if ((!plan.truth.empty() || !plan.start.empty()) && (plan.standardize || plan.intercept)) {
    return Error{"--truth and --start speak of the columns as they are: leave out --standardize and --intercept"};
  }
  return check_method(plan);
}

Result<void> check_method(const Plan& plan) {
  try {
    plan.method.validate(plan.run);
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
  return "# The plan of a fedrk run, complete with its defaults. With data in it, fedrk solve plan.toml repeats it.\n" +
         options_text(plan_options(), plan, folder);
}

}  // namespace fedrk::io

// SPDX-License-Identifier: Apache-2.0
#include "fedrk/methods/exposure.hpp"

namespace fedrk {

bool is_one_step(const LocalWork& work) {
  if (const auto* steps = std::get_if<FixedSteps>(&work)) return steps->count == 1;
  if (const auto* steps = std::get_if<ValidSteps>(&work)) return steps->budget == StepBudget{FixedSteps{1}};
  if (const auto* steps = std::get_if<SparseSteps>(&work)) return steps->budget.count == 1;
  if (const auto* steps = std::get_if<GradientSteps>(&work)) return steps->count == 1 && steps->batch == 1;
  return false;
}

std::string exposed_rows(const MethodOptions& options, const RunOptions& run) {
  if (run.local_budget == StepBudget{FixedSteps{1}}) return "with one local step each update is a multiple of a row";
  if (run.participants == 1) return "with one participant a round every client sees the update of another in x";
  if (options.is_published(run) && run.server_budget == StepBudget{FixedSteps{1}}) {
    return "with one server step every client sees a single update of another in x";
  }
  return "";
}

bool serves(const LocalTask& task, const MethodOptions& options, const RunOptions& run) {
  const LocalWork& work = task.work;
  if (options.privacy.on()) return std::holds_alternative<ClippedPass>(work);
  const bool of_a_refit = options.refits(run) && !task.columns.empty();
  if (!task.columns.empty() && !of_a_refit) return false;
  if (const auto* steps = std::get_if<FixedSteps>(&work)) return steps->count == 0;  // a look at the residual
  if (std::holds_alternative<ValidSteps>(work)) return options.soft == 0.0 && !options.fits() && !of_a_refit;
  if (const auto* steps = std::get_if<SparseSteps>(&work)) {
    return options.soft == steps->lambda && StepBudget{steps->budget} == run.local_budget;
  }
  if (std::holds_alternative<ColumnNorms>(work)) return options.refits(run);
  const bool sums = std::holds_alternative<NormalProduct>(work) || std::holds_alternative<Gradient>(work) ||
                    std::holds_alternative<CrossProducts>(work);
  return sums && (options.fits() || of_a_refit);
}

}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#include "methods/exposure.hpp"

namespace fedrk {

bool is_one_step(const LocalWork& work) {
  if (const auto* steps = std::get_if<FixedSteps>(&work)) return steps->count == 1;
  if (const auto* steps = std::get_if<CutSteps>(&work)) return steps->budget == StepBudget{FixedSteps{1}};
  if (const auto* steps = std::get_if<SparseSteps>(&work)) return steps->budget.count == 1;
  if (const auto* steps = std::get_if<GradientSteps>(&work)) return steps->count == 1 && steps->batch == 1;
  return false;
}

std::string exposed_rows(const Goal& goal, const RunOptions& run, bool masked) {
  if (run.local_budget == StepBudget{FixedSteps{1}}) return "with one local step each update is a multiple of a row";
  if (masked) return "";
  if (run.participants == 1) return "with one participant a round every client sees the update of another in x";
  if (is<FedRk>(goal) && run.server_budget == StepBudget{FixedSteps{1}}) {
    return "with one server step every client sees a single update of another in x";
  }
  return "";
}

bool serves(const LocalTask& task, const MethodOptions& options, const RunOptions& run) {
  const Use use = use_of(task.work);
  const Goal goal = goal_of(options, run);
  if (const auto* wanted = std::get_if<Private>(&goal)) {
    using enum privacy::Mechanism;
    const bool gram = std::holds_alternative<NoisyProducts>(task.work);
    return use == Use::Private && wanted->options.mechanism != (gram ? Passes : Gram);
  }
  const bool of_a_refit = options.refits(run) && !task.columns.empty();
  if (!task.columns.empty() && !of_a_refit) return false;
  switch (use) {
    case Use::Looks:  // at the residual
      return std::get<FixedSteps>(task.work).count == 0;
    case Use::Equations:
      return (is<Equations>(goal) || is<FedRk>(goal)) && !of_a_refit;
    case Use::Sparse: {
      const auto& steps = std::get<SparseSteps>(task.work);
      const auto* sparse = std::get_if<SparseEquations>(&goal);
      return sparse != nullptr && sparse->lambda == steps.lambda && StepBudget{steps.budget} == run.local_budget;
    }
    case Use::Refits:
      return options.refits(run);
    case Use::Fits:
      return is<LeastSquares>(goal) || of_a_refit;
    case Use::Private:
    case Use::None:
      break;
  }
  return false;
}

}  // namespace fedrk

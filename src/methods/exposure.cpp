// SPDX-License-Identifier: Apache-2.0
#include "fedrk/methods/exposure.hpp"

namespace fedrk {

bool is_one_step(const LocalWork& work) {
  if (const auto* steps = std::get_if<FixedSteps>(&work)) return steps->count == 1;
  if (const auto* steps = std::get_if<ValidSteps>(&work)) return steps->budget == StepBudget{FixedSteps{1}};
  if (const auto* steps = std::get_if<SparseSteps>(&work)) return steps->budget.count == 1;
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

}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#include "round/task_cost.hpp"

namespace fedrk {

bool is_look(const LocalWork& work) {
  const auto* steps = std::get_if<FixedSteps>(&work);
  return steps != nullptr && steps->count == 0;
}

TaskCost cost_of(const LocalTask& task, std::size_t unknowns) {
  TaskCost cost{.scalars = task.report_residual ? 1U : 0U};
  if (std::holds_alternative<CrossProducts>(task.work)) {
    cost.columns = (task.columns.empty() ? unknowns : task.columns.size()) + 1;
  } else if (needs_x(task.work) && !is_look(task.work)) {
    cost.vectors = 1;
  } else {
    cost.scalars = 1;  // a residual, or lengths of columns
  }
  return cost;
}

}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a sum of answers shows of the rows in it, in numbers: of a question with so many columns, the right-hand side
// and the intercept with them. Owners bound it (secure_sum/disclosure.hpp), and a run is planned by it.

#include <cstdint>

#include "fedrk/engine.hpp"

namespace fedrk {

/// Whether nothing is asked for but the residual at x.
bool is_look(const LocalWork& work);

struct TaskCost {
  std::uint64_t vectors = 0;  // that are made of the rows
  std::uint64_t columns = 0;  // whose products with all others are shown, the right-hand side with them
  std::uint64_t scalars = 0;
};
/// REQUIRES: a task over this many unknowns, or over the columns that it names.
TaskCost cost_of(const LocalTask& task, std::size_t unknowns);

constexpr bool allows(const Allowance& left, const TaskCost& cost) {
  return cost.vectors <= left.vectors && cost.columns <= left.columns;
}

}  // namespace fedrk

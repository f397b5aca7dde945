// SPDX-License-Identifier: Apache-2.0
#pragma once

// Two ways to make the same Kaczmarz steps on a client's rows: on x itself (direct), or in coefficient space
// (gram_steps.hpp), which first needs the inner products of the rows. In exact arithmetic they agree; their rounding
// differs, so the choice must be the same wherever a plan runs. It depends on the sizes, the number of steps and the
// memory that the plan allows, on nothing of the machine.

#include <cstddef>
#include <cstdint>

#include "fedrk/steps.hpp"

namespace fedrk {

/// The sizes that decide.
struct LocalShape {
  std::size_t rows = 0;          // m_i
  double entries_per_row = 0.0;  // n, or the mean number of non-zeros where the rows are sparse
  bool sparse = false;
};

/// Direct or Gram: the one of less estimated work in `passes` passes, for which the inner products are made once. These
/// take 8 m_i^2 bytes; where that exceeds `memory`, the form is direct. A client counts on a hundred passes: how often
/// it will be drawn it does not know.
LocalForm choose_form(const LocalShape& shape, std::uint64_t steps, std::size_t memory, double passes = 100.0);

}  // namespace fedrk

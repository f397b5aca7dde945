// SPDX-License-Identifier: Apache-2.0
#pragma once

// Is the residual still falling? The one test behind stopping and behind what a person is told.
//
// Two neighbouring stretches of rounds are compared by the mean logarithm of their residuals. Random draws scatter the
// residuals, so a fall counts only where it is larger than the scatter of the two means.

#include <cstddef>
#include <optional>

#include "fedrk/history.hpp"

namespace fedrk {

struct ResidualTrend {
  double level = 0.0;    // geometric mean over the later stretch
  bool falling = false;  // by more than 1 % and more than the scatter from the earlier stretch
};

/// Compares the last `stretch` rounds with the `stretch` before. Nothing where either holds fewer than ten reports.
std::optional<ResidualTrend> residual_trend(const RunHistory& history, std::size_t stretch);

}  // namespace fedrk

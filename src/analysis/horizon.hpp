// SPDX-License-Identifier: Apache-2.0
#pragma once

// Does a run still get closer, and if not, why? On an inconsistent system the iterates come near the least-squares
// solution and then hover around it at a distance, the horizon: the residual stops falling while x keeps moving. On a
// consistent one the residual falls until rounding.

#include <cstddef>

#include "fedrk/history.hpp"

namespace fedrk {

enum class Progress {
  Unknown,     // too few residuals to tell
  Falling,     // the residual is still falling
  AtRounding,  // it has stopped at the level of rounding: solved
  AtRest,      // it has stopped well above, and so has x: a fixed point of contradictory equations
  Hovering,    // it has stopped well above: the horizon, or a direction so slow that it looks like one
};

struct Horizon {
  Progress progress = Progress::Unknown;
  double level = 0.0;           // relative residual over the last quarter of the run (geometric mean)
  std::size_t since_round = 0;  // the first round (from 1) whose residual was at that level
};

Horizon find_horizon(const RunHistory& history);

}  // namespace fedrk

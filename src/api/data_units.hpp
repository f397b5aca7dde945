// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rows, and combinations of rows, in the units of the data again: of ((a_j - c_j)/s_j), with an intercept in column 0
// where centres are not zero. An attacker knows centres and scales.

#include <span>

#include "plan/federation.hpp"

namespace fedrk::api {

/// Of rows that were scaled before they were stored (fedrk solve).
void undo_scaling(const io::Problem& problem, std::span<double> row);

/// Of what a fit makes of rows that are stored as they were.
void undo_frame(const io::Problem& problem, std::span<double> row);

}  // namespace fedrk::api

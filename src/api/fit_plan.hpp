// SPDX-License-Identifier: Apache-2.0
#pragma once

// A fit as a plan, and what came of the plan as a fit.

#include "fedrk/fit.hpp"
#include "problem/formula.hpp"
#include "report/result_files.hpp"

namespace fedrk::api {

/// All but the columns. Throws InvalidArgument.
io::Plan fit_plan(const Formula& formula, const FitSettings& settings);

Fit fit_from(io::FinishedRun run);

}  // namespace fedrk::api

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/run_plan.hpp"
#include "progress.hpp"

namespace fedrk::app {

/// Runs the plan (api/run_plan.hpp) with its progress on stderr, after the forecast of a plan with an epsilon.
io::FinishedRun show_run(Engine& engine, const io::Plan& plan, io::Problem problem, api::RunPlanOptions options,
                         ProgressStyle style);

}  // namespace fedrk::app

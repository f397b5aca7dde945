// SPDX-License-Identifier: Apache-2.0
#pragma once

// A plan carried out with its progress on stderr (api/run_plan.hpp), its files written and its result printed.

#include <functional>

#include "api/run_plan.hpp"
#include "checkpoint/run_journal.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "run_folder.hpp"

namespace fedrk::app {

/// Runs the plan with its progress on stderr, after the forecast of a plan with an epsilon.
io::FinishedRun show_run(Engine& engine, const io::Plan& plan, io::Problem problem, api::RunPlanOptions options,
                         ProgressStyle style);

/// Prints what came out, and where the report is if there is one, and returns the exit code.
int present(const io::FinishedRun& run, OutputFormat format, const std::filesystem::path& report = {});

struct ExecuteOptions {
  api::RunPlanOptions run;
  ProgressStyle progress = ProgressStyle::Auto;
  OutputFormat format = OutputFormat::Text;
  store::CommitPolicy policy = store::CommitPolicy::Intervals;
  std::function<void(const io::FinishedRun&)> on_end{};  // called when the files are written
};

/// Carries the plan out, from the last stored answer on, leaves the files in the folder, prints what came out, and
/// returns the exit code. Throws StoreFailed where run.db cannot be written: what it holds is good to go on from.
int execute(Engine& engine, const io::Plan& plan, io::Problem problem, RunFolder& run_folder, ExecuteOptions options);

}  // namespace fedrk::app

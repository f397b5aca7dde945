// SPDX-License-Identifier: Apache-2.0
#pragma once

// A plan carried out by an engine, whatever stands behind that: the rounds, a refit where one is asked for, and what
// the run's files tell.

#include <cstddef>
#include <string>
#include <vector>

#include "fedrk/base/stop_signal.hpp"
#include "fedrk/io/federation.hpp"
#include "fedrk/io/result_files.hpp"
#include "progress.hpp"

namespace fedrk::app {

struct RunPlanOptions {
  std::string title;
  ProgressStyle progress = ProgressStyle::Auto;
  std::vector<RoundObserver*> observers{};  // besides the progress; they see the rounds of a refit too
  const StopSignal* stop = nullptr;
  std::size_t min_group = 1;  // clients of a kept group at least: as many as a masked sum is over
};

/// The plan may still have entries open that depend on the clients. Names and rows of these come from the roster.
/// Throws InvalidArgument where differential privacy would leave nothing of the answer.
io::FinishedRun run_plan(Engine& engine, const io::Plan& plan, io::Problem problem, const RunPlanOptions& options);

}  // namespace fedrk::app

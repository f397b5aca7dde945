// SPDX-License-Identifier: Apache-2.0
#pragma once

// A plan carried out by an engine, whatever stands behind that: the rounds, a refit where one is asked for, and what
// the run's files tell.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "fedrk/stop_signal.hpp"
#include "plan/federation.hpp"
#include "report/result_files.hpp"

namespace fedrk::api {

struct RunPlanOptions {
  std::string title;
  std::vector<RoundObserver*> observers{};  // they see the rounds of a refit too
  const StopSignal* stop = nullptr;
  std::size_t min_group = 1;                     // clients of a kept group at least: as many as a masked sum is over
  std::vector<RoundObserver*> data_observers{};  // see x in the units of the data
  Method* method = nullptr;                      // in place of the plan's
  std::function<void(std::size_t rounds)> on_refit{};  // called when a refit begins, with the rounds made before it
};

/// The plan may still have entries open that depend on the clients. Names and rows of these come from the roster.
/// Throws InvalidArgument where differential privacy would leave nothing of the answer.
io::FinishedRun run_plan(Engine& engine, const io::Plan& plan, io::Problem problem, const RunPlanOptions& options);

}  // namespace fedrk::api

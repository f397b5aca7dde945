// SPDX-License-Identifier: Apache-2.0
#pragma once

// A good step size for a method that needs one, found as a server could find it: by pilot runs, judged by the residual
// of all clients at their end. The step is halved until the residual falls at all, then doubled while that helps, else
// halved while that helps; at last the two between it and its neighbours are tried.

#include <functional>
#include <memory>
#include <vector>

#include "fedrk/run.hpp"

namespace fedrk {

struct StepChoice {
  double step = 0.0;
  double residual = 0.0;           // relative, after the pilot
  std::uint64_t pilot_rounds = 0;  // that it took to find it
};

using MethodForStep = std::function<std::unique_ptr<Method>(double step)>;

/// `pilot` says how the trial runs are made: rounds, participants, seed. Begins with `first`.
StepChoice search_step(Engine& engine, const RunOptions& pilot, double first, const MethodForStep& method,
                       const StopSignal* stop = nullptr);

/// The largest eigenvalue of A_i^T A_i of every client, which each tells when asked; 0 for one that does not answer.
std::vector<double> curvatures(Engine& engine);

}  // namespace fedrk

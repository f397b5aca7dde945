// SPDX-License-Identifier: Apache-2.0
#pragma once

// A run of the method with memory, for the tests of the method and of the judgement on it.

#include <utility>
#include <vector>

#include "fedrk/run.hpp"
#include "methods/hyperplane_method.hpp"

namespace fedrk::test {

inline RunResult solve(Engine& engine, const RunOptions& options, HyperplaneOptions method,
                       std::vector<double> start = {}) {
  method.local_budget = options.local_budget;
  method.seed = options.seed;
  HyperplaneMethod made(method, engine.roster().size());
  return FederatedRun(options).run(engine, made, std::move(start));
}

}  // namespace fedrk::test

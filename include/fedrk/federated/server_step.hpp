// SPDX-License-Identifier: Apache-2.0
#pragma once

// The server's half of a round: tau_g randomized Kaczmarz steps over the hyperplanes that the clients reported, or, for
// tau_g = infinity, the exact projection onto their intersection.

#include <span>

#include "fedrk/federated/hyperplane.hpp"
#include "fedrk/federated/step_budget.hpp"
#include "fedrk/random/rng_stream.hpp"
#include "fedrk/random/row_sampler.hpp"

namespace fedrk {

class ServerStep {
 public:
  ServerStep(StepBudget budget, RowSampling sampling) : budget_(budget), sampling_(sampling) {}

  /// Moves `x` from x^(t) towards x^(t+1). Without hyperplanes it stays.
  void project(std::span<const Hyperplane> planes, RngStream stream, std::span<double> x) const;

 private:
  StepBudget budget_;
  RowSampling sampling_;
};

}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#pragma once

// The server's half of a round: tau_g randomized Kaczmarz steps over the hyperplanes that the clients reported, or, for
// tau_g = infinity, the exact projection onto their intersection.
//
// In coefficient space (kaczmarz/gram_steps.hpp) x moves by sum_i c_i Delta_i, so all that matters are
// H_ij = <Delta_i, Delta_j> and the gaps: a round costs the products H, tau_g steps of length |S|, and one sum, not
// 2 n tau_g. Where the planes are many and the steps few, so that H alone would cost more, the steps run on x.

#include <cstddef>
#include <span>
#include <vector>

#include "fedrk/steps.hpp"
#include "linalg/random/rng_stream.hpp"
#include "linalg/random/row_sampler.hpp"
#include "round/hyperplane.hpp"

namespace fedrk {

class ServerStep {
 public:
  ServerStep(StepBudget budget, RowSampling sampling) : budget_(budget), sampling_(sampling) {}

  /// Moves `x` from x^(t), to which the gaps of the planes belong, towards x^(t+1). Without hyperplanes it stays.
  void project(std::span<const Hyperplane> planes, RngStream stream, std::span<double> x) const;

 private:
  void make_steps(FixedSteps steps, std::span<const Hyperplane> planes, RngStream stream, std::span<double> x) const;

  StepBudget budget_;
  RowSampling sampling_;
};

// T_s, hard thresholding: keep the s entries of largest magnitude, set the others to zero. Ties keep the lower index,
// so that every engine agrees.

class Threshold {
 public:
  /// `sparsity` 0 keeps everything.
  explicit Threshold(std::size_t sparsity) : sparsity_(sparsity) {}

  void apply(std::span<double> x);

 private:
  std::size_t sparsity_;
  std::vector<std::size_t> order_;  // scratch
};

}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#pragma once

// Gradient descent on the whole problem, x <- T_s(x + step sum_i A_i^T (b_i - A_i x)): every client sends its gradient.
// With s > 0 it is iterative hard thresholding (Blumensath and Davies 2009), the classical way to a sparse solution.
// It needs all clients: a round in which one is missing moves by the mean of the others, scaled up.

#include <cstddef>

#include "fedrk/method.hpp"
#include "round/threshold.hpp"

namespace fedrk {

class GradientDescent final : public Method {
 public:
  GradientDescent(std::size_t clients, double step, std::size_t sparsity = 0)
      : clients_(clients), step_(step), threshold_(sparsity) {}

  Request request(RoundIndex t, std::span<const double> x) override;
  void update(RoundIndex t, RoundReplies& round, std::span<double> x) override;

 private:
  std::size_t clients_;
  double step_;
  Threshold threshold_;
};

}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#pragma once

// Distributed conjugate gradients on the normal equations A^T A x = A^T b (CGNR). The first round asks for the gradient
// r = A^T (b - A x); after that the server sends its search direction p and every client answers with A_i^T A_i p:
//
//     x += a p,  r -= a A^T A p,  p <- r + (||r'||^2 / ||r||^2) p,        a = ||r||^2 / <p, A^T A p>.
//
// It needs every client in every round; when one is missing the round is lost and the recursion begins anew.

#include <cstddef>
#include <vector>

#include "fedrk/federated/method.hpp"

namespace fedrk {

class ConjugateGradients final : public Method {
 public:
  /// Ends where the gradient is no longer than `small_gradient`, or at rounding.
  explicit ConjugateGradients(std::size_t clients, double small_gradient = 0.0)
      : clients_(clients), small_square_(small_gradient * small_gradient) {}

  Request request(RoundIndex t, std::span<const double> x) override;
  void update(RoundIndex t, RoundReplies& round, std::span<double> x) override;
  /// When the gradient has fallen to rounding level.
  bool finished() const override { return finished_; }
  bool fits() const override { return true; }

 private:
  bool small(double square) const;
  void begin(std::span<const double> slope);
  void step(std::span<const double> product, std::span<double> x);

  std::size_t clients_;
  double small_square_;
  bool begun_ = false, finished_ = false;
  std::vector<double> residual_, direction_;  // r, p
  double square_ = 0.0, first_square_ = 0.0;  // ||r||^2, and what it was in the beginning
};

}  // namespace fedrk

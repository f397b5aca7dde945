// SPDX-License-Identifier: Apache-2.0
#pragma once

// Exact least squares by private slack, with partial participation.
//
// Ridge regression around a centre c, argmin ||A x - b||^2 + lambda ||x - c||^2, is a step of the proximal point
// method: centres that follow their ridge solutions tend to the least-squares solution nearest to the start. The map
// from one centre to the next is linear with a positive definite matrix, so Anderson's acceleration applies
// (anderson.hpp).
//
// The slack is not reset at a new centre c'. In x - c = A^T w, which every step keeps true, w is what the clients hold,
// so moving x by c' - c makes the old w the start of the new inner run. The equations then lack no more than
// A (c' - c): as the centres settle, a few rounds suffice for each, and no client has to be told. A ridge solution is
// at most ||r|| / sqrt(lambda) away, r = b - A x - lambda w being what the equations lack; a centre is left when that
// is small beside the way x has gone from it.
//
// At any time the gradient A^T (b - A x) is lambda (x - c) + A^T r, which the server can bound: ||A^T r|| <=
// ||A||_F ||r||. By that it knows when to stop.

#include <cstddef>
#include <deque>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "fedrk/methods/anderson.hpp"
#include "fedrk/methods/residual_sweep.hpp"
#include "fedrk/methods/roll.hpp"
#include "fedrk/methods/slack_server.hpp"

namespace fedrk {

struct LeastSquaresOptions {
  SlackOptions slack{};    // lambda 0: chosen from the size of A
  double inner = 1.0;      // a new centre when ||r|| / sqrt(lambda) is at most this share of ||x - c||
  std::size_t depth = 6;   // of Anderson's acceleration; 0: none
  double tolerance = 0.0;  // of ||A^T (b - A x)|| / (||A||_F ||b||); 0: to rounding
};

/// A weight for the slack: 0.3 times the mean of the squared singular values of A, which weighs rows and slack alike.
double slack_weight(std::span<const ClientSummary> roster, std::size_t unknowns);

class LeastSquares final : public Method {
 public:
  LeastSquares(const LeastSquaresOptions& options, std::span<const ClientSummary> roster, std::size_t unknowns);

  Request request(RoundIndex t, std::span<const double> x) override;
  void update(RoundIndex t, RoundReplies& round, std::span<double> x) override;
  bool finished() const override { return at_rounding_ || settled_.complete(); }
  bool fits() const override { return true; }
  /// The weight and the number of centres.
  std::vector<std::string> notes() const override;

  double lambda() const { return server_.lambda(); }
  std::size_t centres() const { return centres_; }

 private:
  double gradient_bound(std::span<const double> x) const;
  void look_at_bound(double bound, const RoundReplies& round);
  bool near_ridge_solution(std::size_t answered, std::span<const double> x);
  void move_centre(std::span<double> x);

  LeastSquaresOptions options_;
  double tolerance_;
  SlackServer server_;
  Anderson anderson_;
  Roll settled_;
  ResidualSweep bounds_;
  std::size_t clients_;
  double size_of_matrix_ = 0.0, size_of_rhs_ = 0.0;  // ||A||_F, ||b||
  std::vector<double> centre_;
  std::deque<double> squared_gaps_;  // of the last rounds at this centre, as many as it takes to hear of everyone
  std::size_t rounds_at_centre_ = 0, centres_ = 0;
  double best_bound_ = std::numeric_limits<double>::infinity();
  std::size_t since_best_ = 0;  // rounds
  bool at_rounding_ = false;
};

}  // namespace fedrk

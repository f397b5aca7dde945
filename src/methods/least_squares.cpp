// SPDX-License-Identifier: Apache-2.0
#include "fedrk/methods/least_squares.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "fedrk/linalg/kernels.hpp"

namespace fedrk {
namespace {

constexpr double kRounding = 1e-13;
constexpr double kNothing = 1e-3;  // of what the distance from the centre lacks

LeastSquaresOptions with_weight(LeastSquaresOptions options, std::span<const ClientSummary> roster,
                                std::size_t unknowns) {
  if (!(options.slack.lambda > 0.0)) options.slack.lambda = slack_weight(roster, unknowns);
  return options;
}

}  // namespace

double slack_weight(std::span<const ClientSummary> roster, std::size_t unknowns) {
  double squares = 0.0;
  std::size_t rows = 0;
  for (const ClientSummary& client : roster) {
    squares += client.squared_norm;
    rows += client.rows;
  }
  const auto rank = static_cast<double>(std::max<std::size_t>(1, std::min(rows, unknowns)));
  return squares > 0.0 ? 0.3 * squares / rank : 1.0;
}

LeastSquares::LeastSquares(const LeastSquaresOptions& options, std::span<const ClientSummary> roster,
                           std::size_t unknowns)
    : options_(with_weight(options, roster, unknowns)),
      tolerance_(std::max(options.tolerance, kRounding)),
      server_(options_.slack, roster),
      anderson_(options.depth),
      settled_(roster.size()) {
  for (const ClientSummary& client : roster) {
    size_of_matrix_ += client.squared_norm;
    size_of_rhs_ += client.squared_rhs_norm;
  }
  size_of_matrix_ = std::sqrt(size_of_matrix_);
  size_of_rhs_ = std::sqrt(size_of_rhs_);
}

Request LeastSquares::request(RoundIndex t, std::span<const double> x) {
  if (centre_.empty()) centre_.assign(x.begin(), x.end());
  return server_.request(t, x);
}

void LeastSquares::update(RoundIndex t, RoundReplies& round, std::span<double> x) {
  if (round.answered.empty()) return;
  server_.update(t, round, x);
  const double gap = server_.relative_gap();
  if (rounds_at_centre_++ == 0) gap_at_centre_ = gap;

  if (gradient_bound(x) <= tolerance_) {
    settled_.add(round.answered);
  } else {
    settled_.clear();
  }
  // A long memory may know the equations so well that they lack nothing at the new centre, and cannot lack less.
  const bool nothing_left = gap <= kNothing * centre_distance(x);
  if (nothing_left || (rounds_at_centre_ > 1 && gap <= options_.inner * gap_at_centre_)) move_centre(x);
}

// The part of the gradient that the centre answers for.
double LeastSquares::centre_distance(std::span<const double> x) const {
  if (size_of_matrix_ == 0.0 || size_of_rhs_ == 0.0) return distance(x, centre_);
  return server_.lambda() * distance(x, centre_) / (size_of_matrix_ * size_of_rhs_);
}

double LeastSquares::gradient_bound(std::span<const double> x) const {
  return centre_distance(x) + server_.relative_gap();
}

void LeastSquares::move_centre(std::span<double> x) {
  std::vector<double> next = anderson_.next(centre_, x);
  std::vector<double> way = next;
  axpy(-1.0, centre_, way);
  centre_ = std::move(next);
  server_.shift(way, x);
  rounds_at_centre_ = 0;
  ++centres_;
}

std::vector<std::string> LeastSquares::notes() const {
  char text[160];
  (void)std::snprintf(text, sizeof text,
                      "Least squares by private slack of weight %.3g around %zu centres, accelerated over %zu of them.",
                      server_.lambda(), centres_ + 1, options_.depth);
  return {text};
}

}  // namespace fedrk

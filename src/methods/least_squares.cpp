// SPDX-License-Identifier: Apache-2.0
#include "fedrk/methods/least_squares.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "fedrk/linalg/kernels.hpp"

namespace fedrk {
namespace {

constexpr double kInexact = 0.02;  // of the differences between ridge solutions that are only near
constexpr double kRounding = 1e-13, kNearRounding = 1e-9;  // of the bound of the gradient
constexpr std::size_t kStandingStill = 100;                // rounds

LeastSquaresOptions with_weight(LeastSquaresOptions options, std::span<const ClientSummary> roster,
                                std::size_t unknowns) {
  if (!(options.slack.lambda > 0.0)) options.slack.lambda = slack_weight(roster, unknowns);
  return options;
}

}  // namespace

double slack_weight(std::span<const ClientSummary> roster, std::size_t unknowns) {
  const RosterTotals totals = totals_of(roster);
  const double rank = std::max(1.0, std::min(totals.rows, static_cast<double>(unknowns)));
  return totals.squared_norm > 0.0 ? 0.3 * totals.squared_norm / rank : 1.0;
}

LeastSquares::LeastSquares(const LeastSquaresOptions& options, std::span<const ClientSummary> roster,
                           std::size_t unknowns)
    : options_(with_weight(options, roster, unknowns)),
      tolerance_(std::max(options.tolerance, kRounding)),
      server_(options_.slack, roster),
      anderson_(options.depth, kInexact),
      settled_(roster.size()),
      bounds_(roster.size()),
      clients_(roster.size()) {
  const RosterTotals totals = totals_of(roster);
  size_of_matrix_ = std::sqrt(totals.squared_norm);
  size_of_rhs_ = std::sqrt(totals.squared_rhs_norm);
}

Request LeastSquares::request(RoundIndex t, std::span<const double> x) {
  if (centre_.empty()) centre_.assign(x.begin(), x.end());
  return server_.request(t, x);
}

void LeastSquares::update(RoundIndex t, RoundReplies& round, std::span<double> x) {
  if (round.answered.empty()) return;
  server_.update(t, round, x);
  look_at_bound(gradient_bound(x), round);
  if (near_ridge_solution(round.answered.size(), x)) move_centre(x);
}

void LeastSquares::look_at_bound(double bound, const RoundReplies& round) {
  if (bound <= tolerance_) {
    settled_.add(round.answered);
  } else {
    settled_.clear();
  }
  ++since_best_;
  const auto level = bounds_.level_with(bound, round.answered);
  if (level && *level < 0.9 * best_bound_) {
    best_bound_ = *level;
    since_best_ = 0;
  }
  // Where rounding keeps the bound above a tolerance beyond reach, it has stood still for long.
  at_rounding_ = best_bound_ <= kNearRounding && since_best_ > kStandingStill + 2 * bounds_.last_length();
}

bool LeastSquares::near_ridge_solution(std::size_t answered, std::span<const double> x) {
  const std::size_t rounds_of_all = (clients_ + answered - 1) / answered;
  squared_gaps_.push_back(server_.gap() * server_.gap());
  while (squared_gaps_.size() > rounds_of_all) squared_gaps_.pop_front();
  if (++rounds_at_centre_ < std::max<std::size_t>(2, rounds_of_all)) return false;
  const double square = std::reduce(squared_gaps_.begin(), squared_gaps_.end()) / static_cast<double>(rounds_of_all);
  return std::sqrt(square / server_.lambda()) <= options_.inner * distance(x, centre_);
}

double LeastSquares::gradient_bound(std::span<const double> x) const {
  if (size_of_matrix_ == 0.0 || size_of_rhs_ == 0.0) return distance(x, centre_);
  return server_.lambda() * distance(x, centre_) / (size_of_matrix_ * size_of_rhs_) + server_.relative_gap();
}

void LeastSquares::move_centre(std::span<double> x) {
  std::vector<double> next = anderson_.next(centre_, x);
  std::vector<double> way = next;
  axpy(-1.0, centre_, way);
  centre_ = std::move(next);
  server_.shift(way, x);
  squared_gaps_.clear();
  rounds_at_centre_ = 0;
  ++centres_;
}

std::vector<std::string> LeastSquares::notes() const {
  char text[200];
  (void)std::snprintf(
      text, sizeof text,
      "Least squares by private slack of weight %.3g around %zu centres, extrapolated from %zu, each left "
      "at an inner tolerance of %.3g.",
      server_.lambda(), centres_ + 1, options_.depth, options_.inner);
  return {text};
}

}  // namespace fedrk

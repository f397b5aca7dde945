// SPDX-License-Identifier: Apache-2.0
#include "methods/conjugate_gradients.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "linalg/kernels.hpp"
#include "round/state_stream.hpp"

namespace fedrk {
namespace {

constexpr double kMargin = 0.3;     // of the tolerance, for what the recursion believes of itself
constexpr std::size_t kFew = 64;    // columns, whose every direction is worth a sweep
constexpr double kFlat = 1e-26;     // a curvature that is rounding: columns whose combination is zero
constexpr double kNothing = 1e-22;  // of ||b||: a gradient in which a curvature of 1e-16 would show, to 6 digits

std::vector<double> alike_norms(const RosterTotals& totals, std::size_t unknowns) {
  return std::vector<double>(unknowns, std::sqrt(totals.squared_norm / static_cast<double>(unknowns)));
}

}  // namespace

ConjugateGradients::ConjugateGradients(FitOptions options, std::span<const ClientSummary> roster,
                                       Preconditioner precondition)
    : options_(std::move(options)),
      roster_(roster.begin(), roster.end()),
      totals_(totals_of(roster)),
      precondition_(std::move(precondition)) {}

Request ConjugateGradients::request(RoundIndex, std::span<const double> x) {
  if (start_.empty()) start_.assign(x.begin(), x.end());
  if (options_.column_norms.empty()) options_.column_norms = alike_norms(totals_, x.size());
  if (phase_ == Phase::Product) return {NormalProduct{}, direction_, {}, Reveal::Sums, Audience::Everyone};
  return {Gradient{}, x, {}, Reveal::Sums, Audience::Everyone};
}

void ConjugateGradients::update(RoundIndex, RoundReplies& round, std::span<double> x) {
  if (phase_ == Phase::Product) {
    step(round, x);
  } else if (phase_ == Phase::Gradient) {
    look(round, x);
  }
}

// The true gradient and residual at x: is that the end?
void ConjugateGradients::look(const RoundReplies& round, std::span<const double> x) {
  const LocalReply& sum = round.replies.front();
  if (!begun_ && options_.intercept && squared_norm(x) == 0.0) rhs_sum_ = sum.values[0];  // <1, b>
  begun_ = true;
  gradient_ = sum.values;
  for (std::size_t j = 0; j < x.size(); ++j) gradient_[j] -= options_.penalty_of(j) * (x[j] - start_[j]);
  squared_residual_ = sum.squared_residual.value();
  const double rhs = std::sqrt(totals_.squared_rhs_norm), residual = std::sqrt(squared_residual_);
  const Orthogonality found = criterion_at(x);
  measure_ = FitMeasure{rhs > 0.0 ? residual / rhs : residual, found.value, found.holds(options_.tolerance)};
  summary_ = summarize(options_,
                       {static_cast<std::size_t>(totals_.rows), squared_residual_, totals_.squared_rhs_norm, rhs_sum_},
                       std::nullopt);
  summary_.criterion = found.value;
  // Products do not tell combinations of columns, but a column that is constant shows in its length.
  for (std::size_t j = 0; j < x.size(); ++j) {
    if (options_.column_norms[j] > 0.0 || options_.penalty_of(j) > 0.0) continue;
    summary_.not_estimable.push_back(j);
    summary_.combined_of.emplace_back();
  }
  slope_ = found.slope;
  // A recursion that has come no closer since the last look has met rounding.
  const bool no_better = last_criterion_ > 0.0 && found.value > 0.5 * last_criterion_;
  last_criterion_ = found.value;
  phase_ = measure_->holds || no_better ? Phase::Done : Phase::Product;
  if (phase_ == Phase::Done) return;
  kept_.clear();
  choose_direction();
}

void ConjugateGradients::step(const RoundReplies& round, std::span<double> x) {
  Direction made{direction_, round.replies.front().values, 0.0};
  for (std::size_t j = 0; j < x.size(); ++j) made.product[j] += options_.penalty_of(j) * direction_[j];
  made.curvature = dot(made.p, made.product);
  const double slope = dot(gradient_, made.p);
  measure_.reset();  // x moves on
  phase_ = Phase::Gradient;
  const double curvature = precondition_ && made.curvature > 0.0 ? 1.0 : relative_curvature(made);
  if (!(curvature > kFlat) || !(slope > 0.0)) return;  // rounding: a look tells where x is
  min_curvature_ = std::min(min_curvature_, curvature);
  const double length = slope / made.curvature;
  axpy(length, made.p, x);
  axpy(-length, made.product, gradient_);
  squared_residual_ = std::max(0.0, squared_residual_ - length * slope);
  kept_.push_back(std::move(made));
  const std::size_t most = std::max<std::size_t>(2, options_.memory_limit / (2 * sizeof(double) * x.size()));
  if (kept_.size() > most) kept_.pop_front();
  if (has_arrived(x)) return;
  phase_ = Phase::Product;
  choose_direction();
}

// As gradient and residual are known: measured, or by the recursion.
Orthogonality ConjugateGradients::criterion_at(std::span<const double> x) const {
  return orthogonality(gradient_, options_.column_norms, x, std::sqrt(squared_residual_),
                       std::sqrt(totals_.squared_rhs_norm),
                       shortfall_of(gradient_, preconditioned(), options_.column_norms, min_curvature_));
}

// By the recursion, whose gradient goes on falling where the true one has met rounding. A combination of columns that
// is nearly zero shows late: the run goes on until even such a one would have shown, or all directions were gone
// through.
bool ConjugateGradients::has_arrived(std::span<const double> x) const {
  if (kept_.size() >= x.size()) return true;
  const Orthogonality found = criterion_at(x);
  if (found.slope <= kNothing * std::sqrt(totals_.squared_rhs_norm)) return true;
  const bool few = x.size() <= kFew && !options_.penalized();
  return !few && !found.at_rounding && found.holds(kMargin * options_.tolerance);
}

// <p, (A^T A + D) p> / <p, M p>
double ConjugateGradients::relative_curvature(const Direction& direction) const {
  double length = 0.0;
  for (std::size_t j = 0; j < direction.p.size(); ++j) length += weight_of(j) * direction.p[j] * direction.p[j];
  return direction.curvature / length;
}

double ConjugateGradients::weight_of(std::size_t j) const {
  return options_.column_norms[j] * options_.column_norms[j] + options_.penalty_of(j);
}

std::vector<double> ConjugateGradients::preconditioned() const {
  if (precondition_) return precondition_(gradient_);
  std::vector<double> scaled(gradient_.begin(), gradient_.end());
  for (std::size_t j = 0; j < scaled.size(); ++j) {
    const double weight = weight_of(j);
    scaled[j] = weight > 0.0 ? scaled[j] / weight : 0.0;
  }
  return scaled;
}

// Twice, as the first pass leaves rounding that may be as large as what is left.
void ConjugateGradients::choose_direction() {
  const std::vector<double> next = preconditioned();
  direction_.assign(next.begin(), next.end());
  for (int pass = 0; pass < 2; ++pass) {
    for (const Direction& old : kept_) axpy(-dot(direction_, old.product) / old.curvature, old.p, direction_);
  }
}

void ConjugateGradients::begin_anew(std::span<const ClientId> others) {
  std::vector<ClientSummary> left;
  for (const ClientId client : others) left.push_back(roster_[client.value]);
  totals_ = totals_of(left);
  phase_ = Phase::Gradient;
  last_criterion_ = 0.0;
  min_curvature_ = 1.0;
  kept_.clear();
  measure_.reset();
}

bool ConjugateGradients::state(StateStream& stream) {
  stream(options_.column_norms, totals_, phase_, start_, gradient_, direction_, kept_, squared_residual_,
         min_curvature_, last_criterion_, slope_, rhs_sum_, begun_, measure_, summary_);
  return true;
}

}  // namespace fedrk

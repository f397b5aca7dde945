// SPDX-License-Identifier: Apache-2.0
#include "fedrk/baselines/conjugate_gradients.hpp"

#include <algorithm>

#include "fedrk/linalg/kernels.hpp"

namespace fedrk {
namespace {

// Of the squared gradient, relative to the first. Beyond it a singular A^T A shows rounding errors as directions of no
// curvature, and x flies off along them.
constexpr double kRounding = 1e-28;

}  // namespace

Request ConjugateGradients::request(RoundIndex, std::span<const double> x) {
  if (!begun_) return {Gradient{}, x, {}, Reveal::Sums};
  return {NormalProduct{}, direction_, {}, Reveal::Sums};
}

void ConjugateGradients::update(RoundIndex, RoundReplies& round, std::span<double> x) {
  if (round.answered.size() < clients_) {
    begun_ = false;
    return;
  }
  std::vector<double> sum(x.size(), 0.0);
  for (const LocalReply& reply : round.replies) axpy(1.0, reply.values, sum);
  if (begun_) {
    step(sum, x);
  } else {
    begin(sum);
  }
}

bool ConjugateGradients::small(double square) const {
  return square <= std::max(kRounding * first_square_, small_square_);
}

void ConjugateGradients::begin(std::span<const double> slope) {
  residual_.assign(slope.begin(), slope.end());
  direction_ = residual_;
  square_ = squared_norm(residual_);
  first_square_ = std::max(first_square_, square_);
  begun_ = true;
  finished_ = small(square_);
}

void ConjugateGradients::step(std::span<const double> product, std::span<double> x) {
  const double curvature = dot(direction_, product);
  if (!(curvature > 0.0)) {
    finished_ = true;
    return;
  }
  const double length = square_ / curvature;
  axpy(length, direction_, x);
  axpy(-length, product, residual_);
  const double square = squared_norm(residual_);
  std::vector<double> next = residual_;
  axpy(square / square_, direction_, next);
  direction_ = std::move(next);
  square_ = square;
  finished_ = small(square_);
}

}  // namespace fedrk

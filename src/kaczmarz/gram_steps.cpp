// SPDX-License-Identifier: Apache-2.0
#include "kaczmarz/gram_steps.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "fedrk/contracts.hpp"
#include "linalg/simd/kernel_table.hpp"

namespace fedrk {
namespace {

// Where all equations can hold, gaps shrink without end, and the hardware is slow with numbers near its smallest. At
// 1e-40 of the first distance no coefficient has changed for long.
constexpr double kNothingLeft = 1e-80;

// The squared distances to the hyperplanes, together: gap_j^2 / G_jj, whatever the length of a row.
double squared_distances(const Matrix& gram, std::span<const double> gaps) {
  double sum = 0.0;
  for (std::size_t j = 0; j < gaps.size(); ++j) {
    if (gram.row(j)[j] > 0.0) sum += gaps[j] * gaps[j] / gram.row(j)[j];
  }
  return sum;
}

}  // namespace

void gram_steps(const Matrix& gram, std::span<const std::uint32_t> drawn, std::span<double> gaps,
                std::span<double> coefficients) {
  const std::size_t m = gram.rows();
  FEDRK_EXPECTS(gram.cols() == m && gaps.size() == m && coefficients.size() == m);
  FEDRK_EXPECTS(std::ranges::all_of(drawn, [&](std::uint32_t j) { return j < m && gram.row(j)[j] > 0.0; }));
  if (drawn.empty()) return;
  detail::kernels().gram_steps(gram.row(0).data(), gram.stride(), m, drawn.data(), drawn.size(), gaps.data(),
                               coefficients.data());
}

GramSteps::GramSteps(const RowSampler& sampler, std::uint64_t steps, std::size_t rows, RngStream stream)
    : draws_(sampler, stream),
      steps_(steps),
      greedy_(sampler.order() == RowSampling::Greedy),
      all_touched_(greedy_ || steps >= rows) {
  FEDRK_EXPECTS(!sampler.empty());
  if (all_touched_) {
    touched_.resize(rows);
    std::iota(touched_.begin(), touched_.end(), 0U);
    return;
  }
  drawn_.resize(static_cast<std::size_t>(steps));
  draws_.next(drawn_);
  touched_ = drawn_;
  std::ranges::sort(touched_);
  touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
}

void GramSteps::leave_out_untouched() {
  for (std::uint32_t& row : drawn_) {
    row = static_cast<std::uint32_t>(std::ranges::lower_bound(touched_, row) - touched_.begin());
  }
}

void greedy_gram_steps(const Matrix& gram, std::uint64_t steps, std::span<double> gaps,
                       std::span<double> coefficients) {
  std::vector<double> inverse(gram.rows(), 0.0);  // squared lengths
  for (std::size_t j = 0; j < inverse.size(); ++j) {
    if (gram.row(j)[j] > 0.0) inverse[j] = 1.0 / gram.row(j)[j];
  }
  const double nothing_left = kNothingLeft * squared_distances(gram, gaps);
  for (; steps > 0; --steps) {
    std::uint32_t farthest = 0;
    double largest = 0.0;
    for (std::uint32_t j = 0; j < gaps.size(); ++j) {
      const double square = gaps[j] * gaps[j] * inverse[j];
      if (square > largest) largest = square, farthest = j;
    }
    if (largest <= nothing_left) return;
    gram_steps(gram, std::span(&farthest, 1), gaps, coefficients);
  }
}

void GramSteps::run(const Matrix& gram, std::span<double> gaps, std::span<double> coefficients) {
  if (greedy_) return greedy_gram_steps(gram, steps_, gaps, coefficients);
  if (!all_touched_) return gram_steps(gram, drawn_, gaps, coefficients);
  const double nothing_left = kNothingLeft * squared_distances(gram, gaps);
  std::array<std::uint32_t, 512> stretch;
  while (steps_ > 0) {
    const auto some = std::span(stretch).first(static_cast<std::size_t>(std::min<std::uint64_t>(steps_, 512)));
    draws_.next(some);
    gram_steps(gram, some, gaps, coefficients);
    steps_ -= some.size();
    if (steps_ > 0 && squared_distances(gram, gaps) < nothing_left) return;
  }
}

LocalForm choose_form(const LocalShape& shape, std::uint64_t steps, std::size_t memory, double passes) {
  const auto m = static_cast<double>(shape.rows), tau = static_cast<double>(steps), e = shape.entries_per_row;
  const double gram_bytes = 8.0 * m * m;
  if (shape.rows == 0 || gram_bytes > static_cast<double>(memory)) return LocalForm::Direct;

  // Nanoseconds, as measured on a machine of 2023 (docs/performance.md); only their ratios matter. What exceeds a
  // megabyte is read from beyond a core's own cache.
  constexpr double kNear = 1e6;
  const double entry = shape.sparse ? 1.0 : 8.0 * m * e <= 1.5 * kNear ? 0.14 : 0.25;  // of a row, in a direct step
  const double product = shape.sparse ? 1.0 : 0.35;      // of a row, for its gap and its part of the displacement
  const double pair = shape.sparse ? 0.5 : 0.026;        // of an inner product in G
  const double gap = gram_bytes <= kNear ? 0.06 : 0.27;  // of a row of G, in a step in coefficient space
  const double touched = std::min(m, tau);

  const double direct = tau * (12.0 + entry * e);
  const double gram = touched * product * e + tau * (11.0 + gap * m) + m * m * e * pair / passes;
  return gram < direct ? LocalForm::Gram : LocalForm::Direct;
}

}  // namespace fedrk

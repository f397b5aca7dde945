// SPDX-License-Identifier: Apache-2.0
#include "fedrk/kaczmarz/gram_steps.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "fedrk/base/contracts.hpp"
#include "simd/kernel_table.hpp"

namespace fedrk {

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
    : sampler_(sampler), steps_(steps), stream_(stream), all_touched_(steps >= rows) {
  FEDRK_EXPECTS(!sampler.empty());
  if (all_touched_) {
    touched_.resize(rows);
    std::iota(touched_.begin(), touched_.end(), 0U);
    return;
  }
  drawn_.resize(static_cast<std::size_t>(steps));
  sampler_.draw(stream_, drawn_);
  touched_ = drawn_;
  std::ranges::sort(touched_);
  touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
}

void GramSteps::leave_out_untouched() {
  for (std::uint32_t& row : drawn_) {
    row = static_cast<std::uint32_t>(std::ranges::lower_bound(touched_, row) - touched_.begin());
  }
}

namespace {

// The squared distances to the hyperplanes, together: gap_j^2 / G_jj, whatever the length of a row.
double squared_distances(const Matrix& gram, std::span<const double> gaps) {
  double sum = 0.0;
  for (std::size_t j = 0; j < gaps.size(); ++j) {
    if (gram.row(j)[j] > 0.0) sum += gaps[j] * gaps[j] / gram.row(j)[j];
  }
  return sum;
}

}  // namespace

void GramSteps::run(const Matrix& gram, std::span<double> gaps, std::span<double> coefficients) {
  if (!all_touched_) return gram_steps(gram, drawn_, gaps, coefficients);
  // Where all equations can hold, gaps shrink without end, and the hardware is slow with numbers near its smallest. At
  // 1e-40 of the first distance no coefficient has changed for long.
  const double nothing_left = 1e-80 * squared_distances(gram, gaps);
  std::array<std::uint32_t, 512> stretch;
  while (steps_ > 0) {
    const auto some = std::span(stretch).first(static_cast<std::size_t>(std::min<std::uint64_t>(steps_, 512)));
    sampler_.draw(stream_, some);
    gram_steps(gram, some, gaps, coefficients);
    steps_ -= some.size();
    if (steps_ > 0 && squared_distances(gram, gaps) < nothing_left) return;
  }
}

}  // namespace fedrk

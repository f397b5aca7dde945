// SPDX-License-Identifier: Apache-2.0
#include "kaczmarz/clipped_pass.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "fedrk/contracts.hpp"
#include "fedrk/error.hpp"
#include "linalg/kernels.hpp"
#include "linalg/random/subset.hpp"

namespace fedrk {
namespace {

constexpr double kMaxUnits = 0x1.0p52;  // half of what a double counts exactly: a sum of two still is

// From d, with the right-hand side as it is at x. That of a row whose product with x is beyond all numbers is none, and
// such a row makes no step wherever d is.
template <class Row>
void clipped_step(const Row& row, double rhs_at_x, double squared_norm, double clip, std::span<double> d) {
  if (!(squared_norm > 0.0) || std::isnan(rhs_at_x)) return;
  const double length = std::sqrt(squared_norm);
  const double t = (rhs_at_x - dot(row, d)) / length;
  axpy(std::clamp(t, -clip, clip) / length, row, d);
}

}  // namespace

AlignedVector clipped_displacement(const ClippedPass& pass, const RowBlock& block, std::span<const double> x,
                                   RngStream order) {
  FEDRK_EXPECTS(x.size() == block.cols() && pass.clip >= 0.0);
  std::vector<std::size_t> turns = draw_permutation(block.rows(), order);
  if (pass.steps > 0 && pass.steps < turns.size()) turns.resize(static_cast<std::size_t>(pass.steps));
  AlignedVector d(x.size(), 0.0);
  const std::span<const double> rhs = block.system().rhs;
  std::visit(
      [&](const auto& matrix) {
        for (const std::size_t j : turns) {
          const auto row = matrix.row(j);
          clipped_step(row, rhs[j] - dot(row, x), block.squared_norms()[j], pass.clip, d);
        }
      },
      block.system().rows);
  return d;
}

void put_on_noisy_grid(const GridNoise& noise, std::span<const double> gaussians, RngStream& stream,
                       std::span<double> values) {
  if (!gaussians.empty() && gaussians.size() < values.size()) {
    throw InvalidArgument("the noise of " + std::to_string(values.size()) +
                          " entries needs as many Gaussian numbers, not " + std::to_string(gaussians.size()));
  }
  const double share = std::ldexp(noise.share, -noise.exponent);  // in multiples of the grid
  for (std::size_t j = 0; j < values.size(); ++j) {
    const double gaussian = gaussians.empty() ? stream.gaussian() : gaussians[j];
    const double units = std::nearbyint(std::ldexp(values[j], -noise.exponent)) + std::nearbyint(share * gaussian);
    values[j] = std::ldexp(std::clamp(units, -kMaxUnits, kMaxUnits), noise.exponent);
  }
}

}  // namespace fedrk

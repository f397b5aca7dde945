// SPDX-License-Identifier: Apache-2.0
#include "problem/clipped_products.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <variant>
#include <vector>

#include "fedrk/contracts.hpp"
#include "linalg/row_products.hpp"
#include "problem/cross_products.hpp"

namespace fedrk {
namespace {

// To a whole number, ties to even, for numbers below 2^51: without a call, so that loops become vector instructions.
double whole(double number) {
  constexpr double kShift = 0x1.8p52;
  return (number + kShift) - kShift;
}

// In units of the largest entry, as squares of large entries would not be numbers. Zero where an entry is none.
double clip_factor(std::span<const double> z, double bound) {
  double largest = 0.0, squares = 0.0;
  for (const double value : z) {
    if (!std::isfinite(value)) return 0.0;
    largest = std::max(largest, std::abs(value));
  }
  if (!(largest > 0.0)) return 0.0;
  for (const double value : z) squares += (value / largest) * (value / largest);
  const double length = std::sqrt(squares);  // from 1 on
  return length > bound / largest ? bound / largest / length : 1.0;
}

// s s^T in grid steps, the entries beside the diagonal times sqrt(2).
void add_products(std::span<const double> s, double steps_per_unit, std::span<double> sum) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const double factor = s[i] * steps_per_unit, twice = factor * std::numbers::sqrt2;
    sum[at] += whole(factor * s[i]);
    const std::span<double> rest = sum.subspan(at + 1, s.size() - i - 1);
    for (std::size_t j = 0; j < rest.size(); ++j) rest[j] += whole(twice * s[i + 1 + j]);
    at += s.size() - i;
  }
}

}  // namespace

AlignedVector clipped_products(const NoisyProducts& work, const LinearSystem& system) {
  FEDRK_EXPECTS(work.bound > 0.0);
  const std::size_t n = column_count(system.rows);
  AlignedVector sum(cross_product_count(n), 0.0);
  std::vector<double> z(n + 1);
  const double steps_per_unit = std::ldexp(1.0, -work.exponent);
  std::visit(
      [&](const auto& matrix) {
        for (std::size_t i = 0; i < matrix.rows(); ++i) {
          std::ranges::fill(z, 0.0);
          for_each_entry(matrix.row(i), [&](std::size_t j, double value) { z[j] = value; });
          z[n] = work.rhs_weight * system.rhs[i];
          const double factor = clip_factor(z, work.bound);
          if (!(factor > 0.0)) continue;
          for (double& value : z) value *= factor;
          add_products(z, steps_per_unit, sum);
        }
      },
      system.rows);
  for (double& value : sum) value = std::ldexp(value, work.exponent);
  return sum;
}

}  // namespace fedrk

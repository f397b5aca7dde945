// SPDX-License-Identifier: Apache-2.0
#include "methods/fit_options.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/kernels.hpp"

namespace fedrk {
namespace {

constexpr double kUnit = std::numeric_limits<double>::epsilon();
constexpr double kRounding = 64.0;  // roundings that a sum of products may carry

}  // namespace

std::vector<double> ridge_penalty(double lambda, bool intercept, const Frame& frame, std::size_t unknowns,
                                  std::span<const double> spread) {
  if (!(lambda > 0.0)) return {};
  std::vector<double> penalty(unknowns, lambda);
  for (std::size_t j = 0; j < unknowns; ++j) {
    const double unit = frame.inverse_scale.empty() ? 1.0 : frame.inverse_scale[j];
    const double scale = spread.empty() ? unit : unit * spread[j];
    penalty[j] *= scale * scale;
  }
  if (intercept) penalty[0] = 0.0;
  return penalty;
}

bool Orthogonality::holds(double tolerance) const {
  constexpr double kSmallGain = 1e-4, kAttainable = 1e-3;  // the latter where rounding allows no better gradient
  constexpr double kKnown = 1e-8;                          // coefficients of data without noise
  if (at_rounding) return solved || gain <= kAttainable || shift <= kKnown;
  return value <= tolerance && gain <= std::max(kSmallGain, std::sqrt(tolerance));
}

Orthogonality orthogonality(std::span<const double> gradient, std::span<const double> column_norms,
                            std::span<const double> x, double residual, double rhs_norm, const Shortfall& shortfall) {
  double size = rhs_norm;  // of what cancels in the residual
  for (std::size_t j = 0; j < x.size(); ++j) size += column_norms[j] * std::abs(x[j]);
  Orthogonality found;
  found.at_rounding = true;
  found.solved = residual <= kRounding * kUnit * size;
  found.gain = found.solved ? 0.0 : std::sqrt(shortfall.squared_gain) / residual;
  found.shift = size > 0.0 ? std::sqrt(shortfall.squared_shift) / size : 0.0;
  for (std::size_t j = 0; j < gradient.size(); ++j) {
    const double part = std::abs(gradient[j]);
    if (part == 0.0 || column_norms[j] == 0.0) continue;  // a column without entries has no say
    found.slope = std::max(found.slope, part / column_norms[j]);
    found.value = std::max(found.value, part / (column_norms[j] * residual));
    found.at_rounding = found.at_rounding && part <= kRounding * kUnit * column_norms[j] * size;
  }
  if (!std::isfinite(found.value)) found.value = found.at_rounding ? 0.0 : std::numeric_limits<double>::max();
  return found;
}

Shortfall shortfall_of(std::span<const double> gradient, std::span<const double> correction,
                       std::span<const double> column_norms, double min_curvature) {
  Shortfall found{std::max(0.0, dot(gradient, correction)) / min_curvature, 0.0};
  for (std::size_t j = 0; j < correction.size(); ++j) {
    const double moved = column_norms[j] * correction[j] / min_curvature;
    found.squared_shift += moved * moved;
  }
  return found;
}

std::vector<double> in_data_units(const Frame& frame, bool intercept, std::span<const double> x) {
  std::vector<double> coefficients(x.begin(), x.end());
  if (frame.inverse_scale.empty()) return coefficients;
  double constant = 0.0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    coefficients[j] *= frame.inverse_scale[j];
    constant += coefficients[j] * frame.centre[j];
  }
  if (intercept) coefficients[0] -= constant;
  return coefficients;
}

FitSummary summarize(const FitOptions& options, const FitTotals& totals, std::optional<std::size_t> rank) {
  FitSummary summary;
  summary.rows = totals.rows;
  summary.rank = rank;
  const auto rows = static_cast<double>(totals.rows);
  const double mean_part = options.intercept && rows > 0.0 ? totals.rhs_sum * totals.rhs_sum / rows : 0.0;
  const double spread = totals.squared_rhs - mean_part;
  if (spread > 0.0) summary.r_squared = 1.0 - totals.squared_residual / spread;
  if (!rank || options.penalized()) return summary;
  summary.df_residual = rows - static_cast<double>(*rank);
  if (*summary.df_residual > 0.0) summary.sigma = std::sqrt(totals.squared_residual / *summary.df_residual);
  return summary;
}

}  // namespace fedrk

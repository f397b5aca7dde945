// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the server knows of a fit beside the sums: which unknown is the intercept, what is penalised, how the columns
// are framed (problem/frame.hpp). A fit minimises
//
//     ||b - A x||^2 + sum_j penalty_j (x_j - start_j)^2
//
// in the units of the frame, in which column j is (a_j - centre_j) inverse_scale_j.

#include <cstddef>
#include <span>
#include <vector>

#include "fedrk/federated/engine.hpp"
#include "fedrk/methods/fit_summary.hpp"
#include "fedrk/problem/frame.hpp"

namespace fedrk {

struct FitOptions {
  double tolerance = 1e-8;             // of the criterion, below; 0: to rounding
  bool intercept = false;              // the first unknown
  std::vector<double> penalty{};       // of each unknown; empty: none
  Frame frame{};                       // empty: the columns as they are
  std::vector<double> column_norms{};  // ||a_j|| in the frame, where they are known; empty: alike, from the size of A
  bool pairs = true;                   // cross-products in double-double
  std::size_t memory_limit = std::size_t{1} << 30;  // bytes, of kept directions

  double penalty_of(std::size_t j) const { return penalty.empty() ? 0.0 : penalty[j]; }
  bool penalized() const { return !penalty.empty(); }
};

/// lambda |x|^2 in the units of the data, or of columns divided by their `spread` where that is given, as weights in
/// the frame; nothing for the intercept.
std::vector<double> ridge_penalty(double lambda, bool intercept, const Frame& frame, std::size_t unknowns,
                                  std::span<const double> spread = {});

/// The criterion of a fit, without units: how far the columns are from being orthogonal to the residual,
///
///     max_j |g_j| / (||a_j|| ||r||),    g = A^T r - penalty (x - start).
///
/// Where ||r|| is rounding, so is g: that counts as met too.
struct Orthogonality {
  double value = 0.0;
  double slope = 0.0;  // max_j |g_j| / ||a_j||, to compare two answers by
  bool at_rounding = false;

  bool holds(double tolerance) const { return value <= tolerance || at_rounding; }
};
Orthogonality orthogonality(std::span<const double> gradient, std::span<const double> column_norms,
                            std::span<const double> x, double residual, double rhs_norm);

/// In the units of the data: x_j inverse_scale_j, and the intercept without what the centres took.
std::vector<double> in_data_units(const Frame& frame, bool intercept, std::span<const double> x);

/// Rows and sums that a summary of any fit is made of.
struct FitTotals {
  std::size_t rows = 0;
  double squared_residual = 0.0, squared_rhs = 0.0;
  double rhs_sum = 0.0;  // of b, where there is an intercept
};
FitSummary summarize(const FitOptions& options, const FitTotals& totals, std::optional<std::size_t> rank);

}  // namespace fedrk

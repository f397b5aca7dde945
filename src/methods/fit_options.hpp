// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the server knows of a fit beside the sums: which unknown is the intercept, what is penalised, how the columns
// are framed (problem/frame.hpp). A fit minimises
//
//     ||b - A x||^2 + sum_j penalty_j (x_j - start_j)^2
//
// in the units of the frame, in which column j is (a_j - centre_j) inverse_scale_j.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "fedrk/engine.hpp"
#include "problem/frame.hpp"

namespace fedrk {

/// What a fit tells of its model beside the coefficients.
struct FitSummary {
  std::size_t rows = 0;
  std::optional<std::size_t> rank{};         // nothing where only products with the columns are known
  std::optional<double> df_residual{};       // rows - rank{}; nothing for a penalised fit
  std::optional<double> sigma{};             // residual standard error
  std::optional<double> r_squared{};         // about the mean where there is an intercept, else about zero
  std::optional<double> criterion{};         // max_j |<a_j, r>| / (||a_j|| ||r||)
  std::optional<double> certificate{};       // the same by a sum of its own, of gradients at the answer
  std::vector<double> coefficients{};        // in the units of the data, where they are known better than from x
  std::vector<std::size_t> not_estimable{};  // unknowns that are combinations of those before them
  std::vector<std::vector<std::size_t>> combined_of{};  // for each of them, of which
  static constexpr auto fields(auto& self) {
    return std::tie(self.rows, self.rank, self.df_residual, self.sigma, self.r_squared, self.criterion,
                    self.certificate, self.coefficients, self.not_estimable, self.combined_of);
  }
};

struct FitOptions {
  double tolerance = 1e-8;             // of the criterion, below; 0: to rounding
  bool intercept = false;              // the first unknown
  std::vector<double> penalty{};       // of each unknown; empty: none
  Frame frame{};                       // empty: the columns as they are
  std::vector<double> column_norms{};  // ||a_j|| in the frame, where they are known; empty: alike, from the size of A
  bool pairs = true;                   // cross-products in double-double
  bool certify = false;                // what they made is held against the gradient at the answer
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
/// Where ||r|| is rounding, so is g: that counts as met too. Columns may each be orthogonal to the residual while a
/// combination of them is not: that of nearly collinear ones. So a criterion that holds also wants what the minimum
/// would take off the residual, ||A (x - x_min)|| / ||r||, to be at most the square root of the tolerance, or
/// 1e-4 where that is less, or 1e-3 where the gradient is rounding. Times sqrt(m - n) it bounds the error of every
/// coefficient in its standard errors. Data without noise leave a residual of rounding alone, to which nothing can be
/// compared: there the coefficients themselves must be known to 1e-8.
struct Orthogonality {
  double value = 0.0;
  double slope = 0.0;                        // max_j |g_j| / ||a_j||, to compare two answers by
  double gain = 0.0;                         // ||A (x - x_min)|| / ||r||, as far as it is known
  double shift = 0.0;                        // ||D (x - x_min)|| / (||b|| + sum_j ||a_j|| |x_j|), D of the ||a_j||
  bool at_rounding = false, solved = false;  // g, or the residual itself, is rounding

  bool holds(double tolerance) const;
};

/// How far x is from the minimum, from above, where that is known.
struct Shortfall {
  double squared_gain = 0.0;   // ||A (x - x_min)||^2 = <g, (A^T A + penalty)^-1 g>
  double squared_shift = 0.0;  // sum_j ||a_j||^2 (x - x_min)_j^2
};
Orthogonality orthogonality(std::span<const double> gradient, std::span<const double> column_norms,
                            std::span<const double> x, double residual, double rhs_norm, const Shortfall& shortfall);

/// From a correction that leads to the minimum, or is `1/min_curvature` times too short at most.
Shortfall shortfall_of(std::span<const double> gradient, std::span<const double> correction,
                       std::span<const double> column_norms, double min_curvature = 1.0);

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

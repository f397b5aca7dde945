// SPDX-License-Identifier: Apache-2.0
#pragma once

// The Lasso on pooled rows, by coordinate descent: what one would use for feature selection if the owners did pool
// them.
//
//     minimise  1/(2m) ||A x - b||^2 + lambda sum_j |x_j|,
//
// one entry after another: x_j <- soft(<a_j, r + a_j x_j>/m, lambda) / (||a_j||^2/m), with a_j the columns and r the
// residual.

#include <cstddef>
#include <span>
#include <vector>

#include "fedrk/matrix.hpp"
#include "fedrk/system.hpp"

namespace fedrk {

struct LassoOptions {
  std::size_t fixed = 0;     // the first columns (an intercept) are not penalised
  double tolerance = 1e-12;  // a pass that moves A x by less than this, relative to b, is the last
  std::size_t max_passes = 100000;
};

class Lasso {
 public:
  explicit Lasso(const LinearSystem& system, LassoOptions options = {});

  /// From here on upwards every penalised entry is zero.
  double largest_lambda() const;

  /// Improves `x` to the minimiser. A start from a neighbouring lambda saves passes.
  void solve(double lambda, std::span<double> x) const;

 private:
  double pass(double lambda, bool active_only, std::span<double> residual, std::span<double> x) const;

  LassoOptions options_;
  Matrix columns_;  // A^T: column j of A in row j
  std::vector<double> rhs_;
  std::vector<double> squared_norms_;  // of the columns, over m
};

struct LassoPath {
  std::vector<double> lambdas;  // falling
  std::vector<std::vector<double>> solutions;
};

/// `count` values of lambda from the largest down to `ratio` times that, evenly spread in the logarithm, each solved
/// from the one before.
LassoPath lasso_path(const Lasso& lasso, std::size_t unknowns, std::size_t count = 100, double ratio = 1e-3);

}  // namespace fedrk

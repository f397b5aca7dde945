// SPDX-License-Identifier: Apache-2.0
#include "analysis/lasso.hpp"

#include <algorithm>
#include <cmath>

#include "fedrk/contracts.hpp"
#include "linalg/kernels.hpp"

namespace fedrk {
namespace {

double soft(double value, double threshold) { return std::copysign(std::max(std::abs(value) - threshold, 0.0), value); }

Matrix transposed(const Rows& rows) {
  Matrix result(column_count(rows), row_count(rows));
  std::visit(
      [&](const auto& matrix) {
        std::vector<double> row(matrix.cols());
        for (std::size_t i = 0; i < matrix.rows(); ++i) {
          std::ranges::fill(row, 0.0);
          axpy(1.0, matrix.row(i), row);
          for (std::size_t j = 0; j < row.size(); ++j) result.row(j)[i] = row[j];
        }
      },
      rows);
  return result;
}

}  // namespace

Lasso::Lasso(const LinearSystem& system, LassoOptions options)
    : options_(options), columns_(transposed(system.rows)), rhs_(system.rhs) {
  for (std::size_t j = 0; j < columns_.rows(); ++j) {
    squared_norms_.push_back(squared_norm(columns_.row(j)) / static_cast<double>(rhs_.size()));
  }
}

double Lasso::largest_lambda() const {
  // With lambda beyond everything only the fixed entries move; what is left then decides.
  std::vector<double> x(columns_.rows(), 0.0), residual(rhs_);
  solve(HUGE_VAL, x);
  for (std::size_t j = 0; j < options_.fixed; ++j) axpy(-x[j], columns_.row(j), residual);
  double largest = 0.0;
  for (std::size_t j = options_.fixed; j < columns_.rows(); ++j) {
    largest = std::max(largest, std::abs(dot(columns_.row(j), residual)) / static_cast<double>(rhs_.size()));
  }
  return largest;
}

// One pass over the entries, or over those that are not zero. Tells the largest move of A x.
double Lasso::pass(double lambda, bool active_only, std::span<double> residual, std::span<double> x) const {
  const auto m = static_cast<double>(rhs_.size());
  double largest = 0.0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    if (squared_norms_[j] == 0.0 || (active_only && x[j] == 0.0)) continue;
    const double pull = dot(columns_.row(j), residual) / m + squared_norms_[j] * x[j];
    const double moved = (j < options_.fixed ? pull : soft(pull, lambda)) / squared_norms_[j];
    const double step = moved - x[j];
    if (step == 0.0) continue;
    axpy(-step, columns_.row(j), residual);
    x[j] = moved;
    largest = std::max(largest, std::abs(step) * std::sqrt(squared_norms_[j] * m));
  }
  return largest;
}

void Lasso::solve(double lambda, std::span<double> x) const {
  FEDRK_EXPECTS(x.size() == columns_.rows());
  std::vector<double> residual(rhs_);
  for (std::size_t j = 0; j < x.size(); ++j) axpy(-x[j], columns_.row(j), residual);
  const double still = options_.tolerance * std::sqrt(squared_norm(rhs_));
  // Most entries stay zero, so passes over the others come first; a pass over all of them decides.
  for (std::size_t made = 0; made < options_.max_passes; ++made) {
    if (pass(lambda, false, residual, x) <= still) return;
    while (++made < options_.max_passes && pass(lambda, true, residual, x) > still) {
    }
  }
}

LassoPath lasso_path(const Lasso& lasso, std::size_t unknowns, std::size_t count, double ratio) {
  FEDRK_EXPECTS(count >= 2 && ratio > 0.0 && ratio < 1.0);
  LassoPath path;
  std::vector<double> x(unknowns, 0.0);
  const double largest = lasso.largest_lambda();
  for (std::size_t k = 0; k < count; ++k) {
    path.lambdas.push_back(largest * std::pow(ratio, static_cast<double>(k) / static_cast<double>(count - 1)));
    lasso.solve(path.lambdas.back(), x);
    path.solutions.push_back(x);
  }
  return path;
}

}  // namespace fedrk

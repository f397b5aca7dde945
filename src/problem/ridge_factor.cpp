// SPDX-License-Identifier: Apache-2.0
#include "fedrk/problem/ridge_factor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Cholesky>

#include "fedrk/base/contracts.hpp"
#include "fedrk/linalg/gram.hpp"
#include "fedrk/linalg/kernels.hpp"

namespace fedrk {
namespace {

constexpr std::size_t kLargest = 6000;  // rows of what is factorised: 300 MB, some ten seconds

Eigen::MatrixXd row_gram(const Rows& rows) {
  const Matrix gram = std::visit([](const auto& matrix) { return gram_matrix_of(matrix); }, rows);
  Eigen::MatrixXd result(gram.rows(), gram.rows());
  for (std::size_t i = 0; i < gram.rows(); ++i) {
    for (std::size_t j = 0; j < gram.rows(); ++j) {
      result(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = gram.row(i)[j];
    }
  }
  return result;
}

template <class Number>
void add_square(std::span<const Number> row, Eigen::MatrixXd& sum) {
  const Eigen::VectorXd entries =
      Eigen::Map<const Eigen::Matrix<Number, Eigen::Dynamic, 1>>(row.data(), sum.rows()).template cast<double>();
  sum.selfadjointView<Eigen::Lower>().rankUpdate(entries);
}

template <class Number>
void add_square(const BasicSparseRow<Number>& row, Eigen::MatrixXd& sum) {
  for (std::size_t k = 0; k < row.columns.size(); ++k) {
    for (std::size_t l = 0; l <= k; ++l) {
      sum(row.columns[k], row.columns[l]) += static_cast<double>(row.values[k]) * static_cast<double>(row.values[l]);
    }
  }
}

Eigen::MatrixXd column_gram(const Rows& rows) {
  const auto n = static_cast<Eigen::Index>(column_count(rows));
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(n, n);
  std::visit(
      [&](const auto& matrix) {
        for (std::size_t i = 0; i < matrix.rows(); ++i) add_square(matrix.row(i), sum);
      },
      rows);
  return sum;
}

}  // namespace

struct RidgeFactor::Cholesky {
  Eigen::LLT<Eigen::MatrixXd> of;

  std::vector<double> solve(std::span<const double> r) const {
    std::vector<double> result(r.begin(), r.end());
    of.solveInPlace(Eigen::Map<Eigen::VectorXd>(result.data(), static_cast<Eigen::Index>(result.size())));
    return result;
  }
};

RidgeFactor::RidgeFactor(const Rows& rows, double lambda) : lambda_(lambda) {
  FEDRK_EXPECTS(lambda > 0.0);
  of_rows_ = row_count(rows) <= column_count(rows);
  if (std::min(row_count(rows), column_count(rows)) > kLargest) return;
  Eigen::MatrixXd gram = of_rows_ ? row_gram(rows) : column_gram(rows);
  gram.diagonal().array() += lambda;
  cholesky_ = std::make_unique<const Cholesky>(Cholesky{Eigen::LLT<Eigen::MatrixXd>(gram)});
}

RidgeFactor::RidgeFactor(RidgeFactor&&) noexcept = default;
RidgeFactor& RidgeFactor::operator=(RidgeFactor&&) noexcept = default;
RidgeFactor::~RidgeFactor() = default;

std::vector<double> RidgeFactor::solve(const Rows& rows, std::span<const double> r) const {
  if (r.empty()) return {};
  if (!cholesky_) return by_conjugate_gradients(rows, r);
  if (of_rows_) return cholesky_->solve(r);
  const std::vector<double> u = cholesky_->solve(combine(rows, r));
  std::vector<double> y = multiply(rows, u);
  for (std::size_t j = 0; j < y.size(); ++j) y[j] = (r[j] - y[j]) / lambda_;
  return y;
}

std::vector<double> RidgeFactor::by_conjugate_gradients(const Rows& rows, std::span<const double> r) const {
  constexpr double kRounding = 4.0 * std::numeric_limits<double>::epsilon();
  constexpr std::size_t kMost = 10000;
  std::vector<double> y(r.size(), 0.0), left(r.begin(), r.end()), direction = left;
  double square = squared_norm(left);
  const double enough = kRounding * kRounding * square;
  for (std::size_t step = 0; step < kMost && square > enough; ++step) {
    std::vector<double> image = multiply(rows, combine(rows, direction));
    axpy(lambda_, direction, image);
    const double length = square / dot(direction, image);
    axpy(length, direction, y);
    axpy(-length, image, left);
    const double next = squared_norm(left), keep = next / square;
    for (std::size_t j = 0; j < direction.size(); ++j) direction[j] = left[j] + keep * direction[j];
    square = next;
  }
  return y;
}

}  // namespace fedrk

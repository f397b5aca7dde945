// SPDX-License-Identifier: Apache-2.0
#include "support/direct_solver.hpp"

#include <cmath>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

#include "support/tiny_systems.hpp"

namespace fedrk::test {
namespace {

Eigen::MatrixXd to_eigen(const Rows& rows) {
  const auto written = written_out(rows);
  Eigen::MatrixXd result(static_cast<Eigen::Index>(row_count(rows)), static_cast<Eigen::Index>(column_count(rows)));
  for (Eigen::Index i = 0; i < result.rows(); ++i) {
    result.row(i) = Eigen::Map<const Eigen::RowVectorXd>(written[static_cast<std::size_t>(i)].data(), result.cols());
  }
  return result;
}

Eigen::VectorXd to_eigen(std::span<const double> values) {
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

}  // namespace

std::vector<double> nearest_solution(const LinearSystem& system, std::span<const double> x) {
  const Eigen::MatrixXd a = to_eigen(system.rows);
  const Eigen::VectorXd start = to_eigen(x);
  const Eigen::VectorXd solution = start + a.completeOrthogonalDecomposition().solve(to_eigen(system.rhs) - a * start);
  return {solution.begin(), solution.end()};
}

std::vector<double> least_squares(const LinearSystem& system) {
  return nearest_solution(system, std::vector<double>(column_count(system.rows), 0.0));
}

std::vector<double> ridge_solution(const LinearSystem& system, double lambda, std::span<const double> centre) {
  const Eigen::MatrixXd a = to_eigen(system.rows);
  const Eigen::VectorXd start = to_eigen(centre);
  Eigen::MatrixXd stacked(a.rows() + a.cols(), a.cols());
  stacked << a, std::sqrt(lambda) * Eigen::MatrixXd::Identity(a.cols(), a.cols());
  Eigen::VectorXd lacking = Eigen::VectorXd::Zero(stacked.rows());
  lacking.head(a.rows()) = to_eigen(system.rhs) - a * start;
  const Eigen::VectorXd solution = start + stacked.householderQr().solve(lacking);
  return {solution.begin(), solution.end()};
}

std::vector<double> singular_values(const Rows& rows) {
  const Eigen::MatrixXd a = to_eigen(rows);
  const Eigen::MatrixXd gram =
      a.rows() > a.cols() ? Eigen::MatrixXd(a.transpose() * a) : Eigen::MatrixXd(a * a.transpose());
  const Eigen::VectorXd squares = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(gram).eigenvalues();
  const Eigen::VectorXd values = squares.reverse().cwiseMax(0.0).cwiseSqrt();
  return {values.begin(), values.end()};
}

SolvedSystem system_of_condition(std::size_t rows, std::size_t cols, double condition, std::uint64_t seed) {
  const auto m = static_cast<Eigen::Index>(rows), n = static_cast<Eigen::Index>(cols);
  const auto orthogonal = [&](Eigen::Index size, std::uint64_t own_seed) {
    const auto entries = gaussian_vector(static_cast<std::size_t>(size * n), own_seed);
    const Eigen::MatrixXd gaussian = Eigen::Map<const Eigen::MatrixXd>(entries.data(), size, n);
    return Eigen::MatrixXd(gaussian.householderQr().householderQ() * Eigen::MatrixXd::Identity(size, n));
  };
  Eigen::VectorXd values(n);
  for (Eigen::Index j = 0; j < n; ++j) {
    values[j] = std::pow(condition, -static_cast<double>(j) / static_cast<double>(n - 1));
  }
  const Eigen::MatrixXd a = orthogonal(m, 3 * seed) * values.asDiagonal() * orthogonal(n, 3 * seed + 1).transpose();
  SolvedSystem result{{Matrix(rows, cols), {}}, gaussian_vector(cols, 3 * seed + 2)};
  auto& matrix = std::get<Matrix>(result.system.rows);
  for (Eigen::Index i = 0; i < m; ++i) {
    const auto row = matrix.row(static_cast<std::size_t>(i));
    for (Eigen::Index j = 0; j < n; ++j) row[static_cast<std::size_t>(j)] = a(i, j);
    result.system.rhs.push_back(dot(row, result.solution));
  }
  return result;
}

}  // namespace fedrk::test

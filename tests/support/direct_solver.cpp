// SPDX-License-Identifier: Apache-2.0
#include "support/direct_solver.hpp"

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

std::vector<double> singular_values(const Rows& rows) {
  const Eigen::MatrixXd a = to_eigen(rows);
  const Eigen::MatrixXd gram =
      a.rows() > a.cols() ? Eigen::MatrixXd(a.transpose() * a) : Eigen::MatrixXd(a * a.transpose());
  const Eigen::VectorXd squares = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(gram).eigenvalues();
  const Eigen::VectorXd values = squares.reverse().cwiseMax(0.0).cwiseSqrt();
  return {values.begin(), values.end()};
}

}  // namespace fedrk::test

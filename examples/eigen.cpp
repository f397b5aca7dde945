// SPDX-License-Identifier: Apache-2.0

// One's own Eigen matrix: two owners have its upper and its lower rows. Nothing is copied.

#include <iostream>

#include <Eigen/Core>

#include <fedrk/fedrk.hpp>

// By rows: fedrk reads row after row, and refuses Eigen's default, which is by columns, when this is compiled.
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

int main() {
  const Matrix A = Matrix::Random(200, 20);
  const Eigen::VectorXd truth = Eigen::VectorXd::LinSpaced(20, 1.0, 20.0), b = A * truth;
  const auto upper = A.topRows(100), lower = A.bottomRows(100);
  const auto b_upper = b.head(100), b_lower = b.tail(100);

  const auto solution = fedrk::solve({{fedrk::view(upper), b_upper}, {fedrk::view(lower), b_lower}});

  const Eigen::Map<const Eigen::VectorXd> x(solution.x.data(), 20);
  std::cout << solution.rounds << " rounds, relative error " << (x - truth).norm() / truth.norm() << '\n';
  return solution.converged ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
#include "fedrk/problem/ridge_factor.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "fedrk/problem/storage.hpp"
#include "support/direct_solver.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

// A A^T + lambda I, written out entry by entry, for a direct solver.
LinearSystem normal_system(const Rows& rows, double lambda, std::span<const double> r) {
  const auto written = test::written_out(rows);
  LinearSystem result{Matrix(written.size(), written.size()), {r.begin(), r.end()}};
  for (std::size_t i = 0; i < written.size(); ++i) {
    for (std::size_t j = 0; j < written.size(); ++j) {
      double product = i == j ? lambda : 0.0;
      for (std::size_t k = 0; k < written[i].size(); ++k) product += written[i][k] * written[j][k];
      std::get<Matrix>(result.rows).row(i)[j] = product;
    }
  }
  return result;
}

// The condition number is at most (10^2 + lambda)/lambda here, 1e4 for the least lambda.
TEST(RidgeFactor, SolvesBothShapesOfDenseAndSparseRowsInDoublesAndFloats) {
  for (const auto& [rows, cols] : {std::pair{8U, 30U}, {30U, 8U}, {12U, 12U}, {1U, 5U}, {5U, 1U}}) {
    for (const double density : {1.0, 0.3}) {
      for (const double lambda : {1e-2, 1.0, 1e4}) {
        for (const bool floats : {false, true}) {
          for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            auto problem = generate({.rows = rows, .cols = cols, .density = density, .seed = seed});
            if (floats) (void)store_as_floats(problem.system);
            const auto r = test::gaussian_vector(rows, seed);

            const auto y = RidgeFactor(problem.system.rows, lambda).solve(problem.system.rows, r);

            const auto truth = test::least_squares(normal_system(problem.system.rows, lambda, r));
            EXPECT_LT(test::relative_distance(y, truth), 1e-11)
                << rows << "x" << cols << ", density " << density << ", lambda " << lambda;
          }
        }
      }
    }
  }
}

TEST(RidgeFactor, OfNoRowsHasNothingToSolve) {
  const Rows none = Matrix(0, 3);
  EXPECT_TRUE(RidgeFactor(none, 1.0).solve(none, {}).empty());
}

TEST(RidgeFactor, OfZeroRowsDividesByLambda) {
  const Rows zeros = Matrix(2, 3);
  EXPECT_EQ(RidgeFactor(zeros, 4.0).solve(zeros, std::vector{8.0, 2.0}), (std::vector{2.0, 0.5}));
}

// More than 6000 rows and columns: conjugate gradients. The rows are 2 e_j + e_(j+1), so (A A^T + lambda I) y is
// written down at once, and y known beforehand.
TEST(RidgeFactor, GoesByConjugateGradientsWhereTheMatrixIsLarge) {
  constexpr std::uint32_t kSize = 6010;
  SparseMatrix matrix(kSize + 1);
  for (std::uint32_t j = 0; j < kSize; ++j) {
    matrix.append_row(std::vector<std::uint32_t>{j, j + 1}, std::vector<double>{2.0, 1.0});
  }
  const Rows rows = std::move(matrix);
  for (const double lambda : {0.5, 50.0}) {
    const auto truth = test::gaussian_vector(kSize, 3);
    std::vector<double> r(kSize);
    for (std::size_t j = 0; j < kSize; ++j) {
      const double before = j > 0 ? truth[j - 1] : 0.0, after = j + 1 < kSize ? truth[j + 1] : 0.0;
      r[j] = (5.0 + lambda) * truth[j] + 2.0 * (before + after);
    }

    const auto y = RidgeFactor(rows, lambda).solve(rows, r);

    EXPECT_LT(test::relative_distance(y, truth), 1e-13);  // condition number at most 19
  }
}

}  // namespace
}  // namespace fedrk

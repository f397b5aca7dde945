// SPDX-License-Identifier: Apache-2.0
#include "linalg/row_space.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "support/direct_solver.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

struct Shape {
  std::size_t rows, cols;
  double density;
};

class RowSpaceProjectionOf : public testing::TestWithParam<Shape> {};
INSTANTIATE_TEST_SUITE_P(Shapes, RowSpaceProjectionOf,
                         testing::Values(Shape{1, 1, 1.0}, Shape{1, 9, 1.0}, Shape{20, 50, 1.0}, Shape{50, 20, 1.0},
                                         Shape{30, 30, 1.0}, Shape{20, 200, 0.05}, Shape{200, 20, 0.2}));

TEST_P(RowSpaceProjectionOf, IsThePseudoinverseWhateverTheShapeAndTheRightHandSide) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto [rows, cols, density] = GetParam();
    // The inconsistent kind: with more rows than columns there is only a least-squares solution.
    const auto problem =
        generate({.kind = ProblemKind::Inconsistent, .rows = rows, .cols = cols, .density = density, .seed = seed});
    auto x = test::gaussian_vector(cols, seed);
    const auto truth = test::nearest_solution(problem.system, x);

    std::visit([&](const auto& matrix) { RowSpaceProjection(matrix, problem.system.rhs).project(x); },
               problem.system.rows);

    EXPECT_LT(test::relative_distance(x, truth), 1e-11)
        << "seed " << seed;  // rounding times a condition number below 1e4
  }
}

TEST(RowSpaceProjection, DoesNotMindDependentRows) {
  const Matrix rows{{1.0, 0.0, 1.0}, {2.0, 0.0, 2.0}, {0.0, 1.0, 0.0}, {1.0, 1.0, 1.0}};
  std::vector<double> x{0.0, 0.0, 0.0};

  RowSpaceProjection(rows, std::vector{2.0, 4.0, 3.0, 5.0}).project(x);

  EXPECT_NEAR(x[0], 1.0, 1e-15);
  EXPECT_NEAR(x[1], 3.0, 1e-15);
  EXPECT_NEAR(x[2], 1.0, 1e-15);
}

TEST(RowSpaceProjection, HonoursARowHoweverSmallItIs) {
  const Matrix rows{{1e100, 0.0}, {0.0, 1e-100}};
  std::vector<double> x{0.0, 0.0};

  RowSpaceProjection(rows, std::vector{2e100, 3e-100}).project(x);

  EXPECT_NEAR(x[0], 2.0, 1e-15);
  EXPECT_NEAR(x[1], 3.0, 1e-15);
}

// Regression: the least-squares step for dependent rows dropped the short ones.
TEST(RowSpaceProjection, HonoursShortRowsAmongDependentOnes) {
  for (const double s : {1.0, 1e8, 1e16, 1e100}) {
    std::vector<double> x{0.0, 0.0};

    RowSpaceProjection(Matrix{{s, 0.0}, {0.0, 1.0}, {0.0, 1.0}}, std::vector{2.0 * s, 3.0, 3.0}).project(x);

    EXPECT_NEAR(x[0], 2.0, 1e-14) << s;
    EXPECT_NEAR(x[1], 3.0, 1e-14) << s;
  }
}

TEST(RowSpaceProjection, WeighsContradictoryRowsByTheirSquaredLength) {
  std::vector<double> x{0.0};

  RowSpaceProjection(Matrix{{1.0}, {3.0}}, std::vector{1.0, 0.0}).project(x);  // minimises (x - 1)^2 + 9 x^2

  EXPECT_NEAR(x[0], 0.1, 1e-15);
}

// Regression: the second application to contradictory rows divided rounding by rounding.
TEST(RowSpaceProjection, OfLargeContradictorySparseRowsStaysAtItsPoint) {
  const auto problem =
      generate({.kind = ProblemKind::Inconsistent, .rows = 6000, .cols = 2000, .density = 0.005, .seed = 1});
  const auto& rows = std::get<SparseMatrix>(problem.system.rows);
  const RowSpaceProjection projection(rows, problem.system.rhs);
  std::vector<double> x(2000, 0.0);

  projection.project(x);
  const auto once = x;
  projection.project(x);
  projection.project(x);

  EXPECT_LT(test::relative_distance(x, once), 1e-12);
  // The normal equations hold: A^T (b - A x) = 0.
  std::vector<double> gradient(2000, 0.0);
  for (std::size_t i = 0; i < 6000; ++i) axpy(problem.system.rhs[i] - dot(rows.row(i), x), rows.row(i), gradient);
  EXPECT_LT(std::sqrt(squared_norm(gradient)), 1e-10);
}

TEST(RowSpaceProjection, StaysPutWithoutRowsOrWithZeroRows) {
  std::vector<double> x{1.0, 2.0};

  RowSpaceProjection(Matrix(0, 2), {}).project(x);
  RowSpaceProjection(Matrix(3, 2), std::vector(3, 0.0)).project(x);
  RowSpaceProjection(SparseMatrix(2, 2, {}), std::vector(2, 0.0)).project(x);

  EXPECT_EQ(x, (std::vector{1.0, 2.0}));
}

TEST(RowSpaceProjection, OfALargeSparseBlockNeedsNoFactorisation) {
  // 2000 rows that touch nearly all of 3000 columns are beyond the factorisation's limit.
  const auto problem = generate({.rows = 2000, .cols = 3000, .density = 0.003, .seed = 3});
  std::vector<double> x(3000, 0.0);

  RowSpaceProjection(std::get<SparseMatrix>(problem.system.rows), problem.system.rhs).project(x);

  // On the solution set, and in the row space: x* - x is at right angles to x.
  EXPECT_LT(squared_residual(problem.system, x) / squared_norm(problem.system.rhs), 1e-24);
  EXPECT_NEAR(dot(x, problem.solution) / squared_norm(x), 1.0, 1e-10);
}

}  // namespace
}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#include "linalg/dense.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace fedrk {
namespace {

constexpr double kNearly = 1e-9;  // the angle between the first and the second row

OrthonormalRows basis_of_three(double tolerance, std::vector<double> rhs = {2.0, 2.0, 3.0}) {
  const std::vector<std::vector<double>> rows{{1.0, 0.0, 0.0}, {1.0, kNearly, 0.0}, {0.0, 0.0, 1.0}};
  const std::vector<double> lengths(3, 1.0);
  return orthonormal_rows(
      3, lengths, rhs, [&](std::size_t k, std::span<double> row) { std::ranges::copy(rows[k], row.begin()); },
      tolerance);
}

TEST(OrthonormalRows, LeaveOutWhatIsInTheSpanToTheTolerance) {
  EXPECT_EQ(basis_of_three(0.0).basis.rows(), 3);
  EXPECT_EQ(basis_of_three(1e-8).basis.rows(), 2);
}

TEST(OrthonormalRows, HaveTheOffsetsOfTheRows) {
  const OrthonormalRows rows = basis_of_three(1e-8);

  // <z, q_k> = d_k for every z with <a, z> = b: (2, *, 3) is one.
  ASSERT_EQ(rows.offsets.size(), 2);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(2.0 * rows.basis.row(k)[0] + 3.0 * rows.basis.row(k)[2], rows.offsets[k], 1e-8);
  }
}

TEST(OrthonormalRows, KnowNoOffsetsWhereARightHandSideIsUnknown) {
  const OrthonormalRows rows = basis_of_three(1e-8, {2.0, 2.0, std::numeric_limits<double>::quiet_NaN()});

  EXPECT_EQ(rows.basis.rows(), 2);
  EXPECT_TRUE(std::ranges::all_of(rows.offsets, [](double offset) { return std::isnan(offset); }));
}

TEST(SolveLeastNorm, TellsWhichUnknownsTheEquationsDetermine) {
  // x + y = 2 and z = 5: x and y are alike, and the least norm parts them evenly.
  const LeastNormSolution found = solve_least_norm(Matrix{{1.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, Matrix{{2.0}, {5.0}});

  EXPECT_NEAR(found.x.row(0)[0], 1.0, 1e-14);
  EXPECT_NEAR(found.x.row(1)[0], 1.0, 1e-14);
  EXPECT_NEAR(found.x.row(2)[0], 5.0, 1e-14);
  EXPECT_EQ(found.determined, (std::vector{false, false, true}));
}

TEST(SolveLeastNorm, OfManyEquationsIsTheLeastSquaresSolution) {
  const LeastNormSolution found =
      solve_least_norm(Matrix{{1.0}, {1.0}, {1.0}}, Matrix{{1.0, 0.0}, {2.0, 0.0}, {6.0, 3.0}});

  EXPECT_NEAR(found.x.row(0)[0], 3.0, 1e-14);
  EXPECT_NEAR(found.x.row(0)[1], 1.0, 1e-14);
  EXPECT_EQ(found.determined, std::vector{true});
}

TEST(SymmetricParts, AreEigenvaluesWithTheirVectorsInRows) {
  // 1 along (1, -1) and 3 along (1, 1).
  const SymmetricParts parts = symmetric_parts(Matrix{{2.0, 1.0}, {1.0, 2.0}});

  ASSERT_EQ(parts.values.size(), 2);
  EXPECT_NEAR(parts.values[0], 1.0, 1e-14);
  EXPECT_NEAR(parts.values[1], 3.0, 1e-14);
  EXPECT_NEAR(parts.vectors.row(0)[0], -parts.vectors.row(0)[1], 1e-14);
  EXPECT_NEAR(parts.vectors.row(1)[0], parts.vectors.row(1)[1], 1e-14);
}

}  // namespace
}  // namespace fedrk

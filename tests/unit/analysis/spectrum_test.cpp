// SPDX-License-Identifier: Apache-2.0
#include "analysis/survey.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "support/direct_solver.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

TEST(Spectrum, OfADiagonalIsTheDiagonal) {
  const Spectrum found = spectrum(Matrix{{3.0, 0.0}, {0.0, 0.5}, {0.0, 0.0}});

  EXPECT_NEAR(found.singular_values[0], 3.0, 1e-15);
  EXPECT_NEAR(found.singular_values[1], 0.5, 1e-15);
  EXPECT_NEAR(found.condition_number(), 6.0, 1e-14);
}

TEST(Spectrum, AgreesWithASingularValueDecompositionOfTheWhole) {
  for (const auto& [rows, cols] : {std::pair<std::size_t, std::size_t>{40, 10}, {10, 40}, {15, 15}}) {
    const auto problem = generate({.rows = rows, .cols = cols, .density = 0.5});

    const auto found = spectrum(problem.system.rows).singular_values;

    EXPECT_LT(distance(found, test::singular_values(problem.system.rows)), 1e-12);
  }
}

TEST(Spectrum, KeepsTheDigitsOfSmallValues) {
  // sigma = 1 and 1e-10, turned by 45 degrees: their squares differ by more than the digits of a double.
  const double c = std::sqrt(0.5);

  const Spectrum found = spectrum(Matrix{{c, c}, {1e-10 * c, -1e-10 * c}});

  EXPECT_EQ(found.rank, 2);
  EXPECT_NEAR(found.singular_values[1], 1e-10, 1e-15);
}

TEST(Spectrum, CountsOnlyIndependentRows) {
  EXPECT_EQ(spectrum(Matrix{{1.0, 2.0, 3.0}, {2.0, 4.0, 6.0}, {1.0, 0.0, 0.0}}).rank, 2);
  EXPECT_EQ(spectrum(Matrix{{0.0, 0.0}}).rank, 0);
}

TEST(KaczmarzRate, FollowsItsFormula) {
  // By squared norm: A^T A / ||A||_F^2 = diag(9, 1)/10. Uniform on unit rows: diag(1, 1)/2; the zero row does not
  // count.
  const Rows rows = Matrix{{3.0, 0.0}, {0.0, 1.0}, {0.0, 0.0}};

  EXPECT_NEAR(kaczmarz_rate(rows, RowSampling::SquaredNorm), 0.9, 1e-15);
  EXPECT_NEAR(kaczmarz_rate(rows, RowSampling::Uniform), 0.5, 1e-15);
}

TEST(KaczmarzRate, TakesAnyWeights) {
  // Unit rows with p = (1, 4)/5 (a zero row is never drawn): diag(1, 4)/5. Without the second row the space is smaller.
  const Rows rows = Matrix{{3.0, 0.0}, {0.0, 1.0}, {0.0, 0.0}};

  EXPECT_NEAR(kaczmarz_rate(rows, std::vector{1.0, 4.0, 7.0}), 0.8, 1e-15);
  EXPECT_NEAR(kaczmarz_rate(rows, std::vector{2.0, 0.0, 0.0}), 0.0, 1e-15);
}

TEST(KaczmarzRate, WithSquaredNormsAsWeightsIsTheUsualOne) {
  const auto problem = generate({.rows = 30, .cols = 8});
  const RowBlock block({std::get<Matrix>(problem.system.rows).clone(), problem.system.rhs});

  EXPECT_NEAR(kaczmarz_rate(problem.system.rows, block.squared_norms()),
              kaczmarz_rate(problem.system.rows, RowSampling::SquaredNorm), 1e-14);
}

}  // namespace
}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#include "fedrk/system.hpp"

#include <gtest/gtest.h>

#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

using WrittenOut = std::vector<std::vector<double>>;

TEST(LinearSystem, PutsTheInterceptFirst) {
  LinearSystem dense{Matrix{{2.0}, {3.0}}, {1.0, 1.0}};
  LinearSystem sparse{SparseMatrix(2, 1, {{1, 0, 3.0}}), {1.0, 1.0}};

  add_intercept(dense);
  add_intercept(sparse);

  EXPECT_EQ(test::written_out(dense.rows), (WrittenOut{{1.0, 2.0}, {1.0, 3.0}}));
  EXPECT_EQ(test::written_out(sparse.rows), (WrittenOut{{1.0, 0.0}, {1.0, 3.0}}));
}

TEST(LinearSystem, MeasuresItsResidual) {
  const LinearSystem system{Matrix{{1.0, 1.0}, {1.0, -1.0}}, {3.0, 0.0}};

  EXPECT_EQ(squared_residual(system, std::vector{1.0, 1.0}), 1.0);
}

TEST(LinearSystem, FindsAZeroRowThatNothingSatisfies) {
  EXPECT_EQ(find_contradictory_row({Matrix{{1.0}, {0.0}, {0.0}}, {1.0, 0.0, 2.0}}), 2);
  EXPECT_EQ(find_contradictory_row({SparseMatrix(2, 1, {{1, 0, 0.0}}), {0.0, 1.0}}), 1);
  EXPECT_EQ(find_contradictory_row({Matrix{{1.0}, {0.0}}, {1.0, 0.0}}), std::nullopt);
}

TEST(LinearSystem, MultipliesAndCombinesItsRows) {
  const Rows dense = Matrix{{1.0, 2.0, 0.0}, {0.0, 3.0, -1.0}};
  const Rows sparse = SparseMatrix(2, 3, {{0, 0, 1.0}, {0, 1, 2.0}, {1, 1, 3.0}, {1, 2, -1.0}});
  for (const Rows* rows : {&dense, &sparse}) {
    EXPECT_EQ(multiply(*rows, std::vector{1.0, 10.0, 100.0}), (std::vector{21.0, -70.0}));
    EXPECT_EQ(combine(*rows, std::vector{2.0, 5.0}), (AlignedVector{2.0, 19.0, -5.0}));
  }
  EXPECT_EQ(combine(Rows{Matrix(0, 2)}, {}), (AlignedVector{0.0, 0.0}));
}

TEST(LinearSystem, RestrictedToSomeColumnsKeepsItsEquations) {
  const LinearSystem dense{Matrix{{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}}, {7.0, 8.0}};
  const LinearSystem sparse{SparseMatrix(2, 3, {{0, 0, 1.0}, {0, 2, 3.0}, {1, 2, 6.0}}), {7.0, 8.0}};
  const std::vector<std::uint32_t> columns{0, 2};

  const LinearSystem of_dense = restrict_to(dense, columns), of_sparse = restrict_to(sparse, columns);

  EXPECT_EQ(test::written_out(of_dense.rows), (WrittenOut{{1.0, 3.0}, {4.0, 6.0}}));
  EXPECT_EQ(test::written_out(of_sparse.rows), (WrittenOut{{1.0, 3.0}, {0.0, 6.0}}));
  EXPECT_TRUE(is_sparse(of_sparse.rows));
  EXPECT_EQ(of_dense.rhs, dense.rhs);
  EXPECT_EQ(of_sparse.rhs, dense.rhs);
}

// A row without entries in these columns still counts: its residual is all of its right-hand side.
TEST(LinearSystem, RestrictedToSomeColumnsKeepsRowsWithoutEntries) {
  const LinearSystem dense{Matrix{{1.0, 2.0}, {0.0, 5.0}}, {7.0, 8.0}};
  const LinearSystem sparse{SparseMatrix(2, 2, {{0, 0, 1.0}, {0, 1, 2.0}, {1, 1, 5.0}}), {7.0, 8.0}};
  for (const LinearSystem* system : {&dense, &sparse}) {
    const LinearSystem part = restrict_to(*system, std::vector<std::uint32_t>{0});
    EXPECT_EQ(test::written_out(part.rows), (WrittenOut{{1.0}, {0.0}}));
    EXPECT_EQ(part.rhs, (std::vector{7.0, 8.0}));
  }
}

// A x with zeros elsewhere is the same for both.
TEST(LinearSystem, RestrictedToSomeColumnsMultipliesAsTheWholeWithZeros) {
  const std::vector<std::uint32_t> columns{2, 3, 11, 19};
  for (const double density : {1.0, 0.2}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const auto problem = generate({.rows = 15, .cols = 20, .density = density, .seed = seed});
      const auto x = test::gaussian_vector(4, seed);
      std::vector<double> whole(20, 0.0);
      for (std::size_t k = 0; k < 4; ++k) whole[columns[k]] = x[k];

      const auto one = multiply(restrict_to(problem.system, columns).rows, x),
                 two = multiply(problem.system.rows, whole);

      for (std::size_t i = 0; i < 15; ++i) EXPECT_NEAR(one[i], two[i], 1e-13);
    }
  }
}

}  // namespace
}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#include "fedrk/problem/linear_system.hpp"

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

}  // namespace
}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#include "problem/added_columns.hpp"

#include <gtest/gtest.h>

#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

TEST(NoiseColumns, StandAfterTheDataAndAreTheSameForDenseAndSparseRows) {
  LinearSystem dense{Matrix{{1.0, 0.0}, {0.0, 2.0}}, {1.0, 1.0}};
  LinearSystem sparse{SparseMatrix(2, 2, {{0, 0, 1.0}, {1, 1, 2.0}}), {1.0, 1.0}};

  add_noise_columns(dense, 3, stream_for(5, Purpose::NoiseColumns));
  add_noise_columns(sparse, 3, stream_for(5, Purpose::NoiseColumns));

  const auto rows = test::written_out(dense.rows);
  EXPECT_EQ(rows, test::written_out(sparse.rows));
  EXPECT_EQ(std::vector(rows[1].begin(), rows[1].begin() + 2), (std::vector{0.0, 2.0}));
  EXPECT_EQ(rows[0].size(), 5);
}

TEST(NoiseColumns, AreStandardGaussian) {
  LinearSystem system{Matrix(500, 1), std::vector<double>(500, 0.0)};

  add_noise_columns(system, 40, stream_for(6, Purpose::NoiseColumns));

  double sum = 0.0, squares = 0.0;
  for (const auto& row : test::written_out(system.rows)) {
    for (const double value : row) sum += value, squares += value * value;  // the first column is zero
  }
  EXPECT_NEAR(sum / 20000.0, 0.0, 5.0 / std::sqrt(20000.0));  // five standard deviations
  EXPECT_NEAR(squares / 20000.0, 1.0, 5.0 * std::sqrt(2.0 / 20000.0));
}

}  // namespace
}  // namespace fedrk

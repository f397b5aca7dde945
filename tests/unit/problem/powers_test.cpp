// SPDX-License-Identifier: Apache-2.0
#include "problem/added_columns.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "fedrk/error.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

TEST(Powers, AreRoundedOnce) {
  EXPECT_EQ(rounded_power(0.1, 1), 0.1);
  EXPECT_EQ(rounded_power(-3.0, 3), -27.0);
  EXPECT_EQ(rounded_power(0.0, 5), 0.0);
  EXPECT_EQ(rounded_power(-2.0, 10), 1024.0);
  // x^10 has 530 bits; eight factors in double precision alone are some units of the last place off.
  const double x = 8.9 / 7.0;
  long double power = x;
  for (int k = 1; k < 10; ++k) power *= x;
  EXPECT_LE(std::abs(static_cast<double>(power - static_cast<long double>(rounded_power(x, 10)))),
            0.51 * (std::nextafter(static_cast<double>(power), 1e9) - static_cast<double>(power)));
}

TEST(Powers, StandAfterTheDataAndAreTheSameForDenseAndSparseRows) {
  LinearSystem dense{Matrix{{1.5, 0.0}, {0.0, -2.0}}, {1.0, 1.0}};
  LinearSystem sparse{SparseMatrix(2, 2, {{0, 0, 1.5}, {1, 1, -2.0}}), {1.0, 1.0}};
  const std::vector<PowerTerm> terms{{2, 1, 2}, {3, 1, 3}, {4, 0, 2}};

  add_powers(dense, terms);
  add_powers(sparse, terms);

  const auto rows = test::written_out(dense.rows);
  EXPECT_EQ(rows, test::written_out(sparse.rows));
  EXPECT_EQ(rows[0], (std::vector{1.5, 0.0, 0.0, 0.0, 2.25}));
  EXPECT_EQ(rows[1], (std::vector{0.0, -2.0, 4.0, -8.0, 0.0}));
}

TEST(Powers, BeyondTheRangeOfNumbersAreRefused) {
  LinearSystem system{Matrix{{1.0}, {1e155}}, {1.0, 1.0}};
  const std::vector<PowerTerm> terms{{1, 0, 2}};

  EXPECT_THROW(add_powers(system, terms), InvalidArgument);
}

}  // namespace
}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#include "linalg/cholesky.hpp"

#include <gtest/gtest.h>

namespace fedrk {
namespace {

using Table = std::vector<std::vector<double>>;

template <class Number>
Cholesky<Number> factor(const Table& c) {
  return {c.size(), [&](std::size_t i, std::size_t j) { return Number(c[i][j]); },
          [&](std::size_t j, const Number& pivot, const auto&) { return pivot <= Number(1e-12 * c[j][j]); }};
}

TEST(Cholesky, SolvesByHand) {
  const Table c{{4.0, 2.0}, {2.0, 5.0}};  // L = (2 0; 1 2)

  const auto x = factor<double>(c).solve({8.0, 8.0});

  EXPECT_DOUBLE_EQ(x[0], 1.5);
  EXPECT_DOUBLE_EQ(x[1], 1.0);
}

// Columns (1,0), (0,1), (2,3), (1,1): the third and fourth are combinations of the first two.
TEST(Cholesky, LeavesOutColumnsThatAreCombinationsOfThoseBefore) {
  const Table c{{1, 0, 2, 1}, {0, 1, 3, 1}, {2, 3, 13, 5}, {1, 1, 5, 2}};

  const auto made = factor<double>(c);

  ASSERT_EQ(made.rank(), 2);
  EXPECT_EQ(made.dependents()[0], 2);
  EXPECT_EQ(made.dependents()[1], 3);
  EXPECT_DOUBLE_EQ(made.combination(2)[0], 2.0);
  EXPECT_DOUBLE_EQ(made.combination(2)[1], 3.0);
  EXPECT_EQ(made.solve({5.0, 7.0, 31.0, 12.0}), (std::vector<double>{5.0, 7.0, 0.0, 0.0}));
}

// The Hilbert matrix of order 12 has a condition number of 1.7e16: doubles have nothing left, pairs fifteen digits.
TEST(Cholesky, KeepsFifteenDigitsOfAHilbertMatrixInDoubleDouble) {
  constexpr std::size_t n = 12;
  const auto entry = [](std::size_t i, std::size_t j) {
    return DoubleDouble(1.0) / DoubleDouble(static_cast<double>(i + j + 1));
  };
  const Cholesky<DoubleDouble> made(n, entry, [](auto...) { return false; });
  std::vector<DoubleDouble> b(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) b[i] += entry(i, j);  // x = (1, ..., 1)
  }

  const auto x = made.solve(b);

  for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(to_double(x[i]), 1.0, 1e-13);
}

}  // namespace
}  // namespace fedrk

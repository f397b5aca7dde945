// SPDX-License-Identifier: Apache-2.0
#include "fedrk/linalg/kernels.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

// Lengths around the sixteen partial sums, where loops tend to go wrong.
class KernelsOfLength : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Nasty, KernelsOfLength, testing::Values(0, 1, 7, 8, 9, 15, 16, 17, 31, 33, 1023, 1024, 1025));

TEST_P(KernelsOfLength, AgreeWithLongDoubleSums) {
  const auto a = test::gaussian_vector(GetParam(), 1), x = test::gaussian_vector(GetParam(), 2);
  long double product = 0.0L, square = 0.0L, gap = 0.0L;
  for (std::size_t i = 0; i < a.size(); ++i) {
    product += static_cast<long double>(a[i]) * x[i];
    square += static_cast<long double>(a[i]) * a[i];
    gap += (static_cast<long double>(a[i]) - x[i]) * (static_cast<long double>(a[i]) - x[i]);
  }
  auto moved = x;

  axpy(0.5, a, moved);

  const double rounding = 1e-15 * static_cast<double>(a.size() + 1);  // n terms of size about one
  EXPECT_NEAR(dot(a, x), static_cast<double>(product), rounding);
  EXPECT_NEAR(squared_norm(a), static_cast<double>(square), rounding);
  EXPECT_NEAR(distance(a, x), std::sqrt(static_cast<double>(gap)), rounding);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(moved[i], x[i] + 0.5 * a[i]);
}

TEST_P(KernelsOfLength, GiveTheSameBitsAtEveryAlignment) {
  const auto a = test::gaussian_vector(GetParam(), 3);
  std::vector<double> shifted(a.size() + 1);
  std::copy(a.begin(), a.end(), shifted.begin() + 1);

  EXPECT_EQ(dot(a, a), dot(std::span(shifted).subspan(1), a));
}

TEST(Kernels, WorkOnTheNonZerosOfASparseRow) {
  const std::vector<std::uint32_t> columns{1, 3};
  const std::vector<double> values{2.0, -1.0};
  const SparseRow row{columns, values};
  std::vector<double> x{10.0, 20.0, 30.0, 40.0};

  EXPECT_EQ(dot(row, x), 0.0);
  EXPECT_EQ(squared_norm(row), 5.0);
  axpy(2.0, row, x);
  EXPECT_EQ(x, (std::vector<double>{10.0, 24.0, 30.0, 38.0}));
}

TEST(Kernels, RecogniseWhatIsNotFinite) {
  EXPECT_TRUE(all_finite(std::vector{1.0, -1e308, 0.0}));
  EXPECT_FALSE(all_finite(std::vector{1.0, std::numeric_limits<double>::infinity()}));
  EXPECT_FALSE(all_finite(std::vector{std::nan("")}));
}

}  // namespace
}  // namespace fedrk

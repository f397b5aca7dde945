// SPDX-License-Identifier: Apache-2.0
#include "linalg/double_double.hpp"

#include <cmath>
#include <limits>
#include <string_view>

#include <gtest/gtest.h>

namespace fedrk {
namespace {

constexpr double kRelative = 0x1.0p-102;  // what every operation promises

// A number written out, digit by digit; its own error is a few units of the same size.
DoubleDouble decimal(std::string_view digits) {
  DoubleDouble number, unit = 1.0;
  bool fraction = false;
  for (const char digit : digits) {
    if (digit == '.') {
      fraction = true;
      continue;
    }
    number = number * 10.0 + static_cast<double>(digit - '0');
    if (fraction) unit = unit * 10.0;
  }
  return number / unit;
}

void expect_close(const DoubleDouble& actual, const DoubleDouble& expected, double relative = 4.0 * kRelative) {
  EXPECT_LE(std::abs(to_double(actual - expected)), relative * std::abs(expected.high))
      << actual.high << " + " << actual.low << " in place of " << expected.high << " + " << expected.low;
}

// Digits beyond those of a pair are there to round correctly.
const DoubleDouble kPi = decimal("3.14159265358979323846264338327950"),
                   kE = decimal("2.71828182845904523536028747135266");

TEST(DoubleDouble, SumsOfDoublesAreExact) {
  const DoubleDouble sum = two_sum(1.0, 0x1.0p-80);
  EXPECT_EQ(sum, DoubleDouble(1.0, 0x1.0p-80));
  EXPECT_EQ(two_sum(0x1.0p-80, 1.0), sum);
  EXPECT_EQ(fast_two_sum(1.0, 0x1.0p-80), sum);
  EXPECT_EQ(two_sum(1e16, 1.0), DoubleDouble(1e16, 1.0));
  EXPECT_EQ(two_sum(0.1, 0.2) - 0.1 - 0.2, 0.0);
}

TEST(DoubleDouble, ProductsOfDoublesAreExact) {
  // (2^30 + 1)(2^30 - 1) = 2^60 - 1, which no double holds.
  EXPECT_EQ(two_product(0x1.0p30 + 1.0, 0x1.0p30 - 1.0), DoubleDouble(0x1.0p60, -1.0));
  EXPECT_EQ(two_product(3.0, 5.0), 15.0);
}

TEST(DoubleDouble, HoldsTheNearestPairOfAnExpansion) {
  EXPECT_EQ(kPi.high, 0x1.921fb54442d18p+1);
  EXPECT_NEAR(kPi.low, 0x1.1a62633145c07p-53, 0x1.0p-102);
  EXPECT_EQ(to_double(kPi), 0x1.921fb54442d18p+1);
}

TEST(DoubleDouble, AgreesWithLongExpansions) {
  expect_close(kPi + kE, decimal("5.85987448204883847382293085463216"));
  expect_close(kPi - kE, decimal("0.42331082513074800310235591192684"), 40.0 * kRelative);  // a digit cancels
  expect_close(kPi * kE, decimal("8.53973422267356706546355086954657"));
  expect_close(kPi / kE, decimal("1.15572734979092171791009318331269"));
  expect_close(sqrt(DoubleDouble(2.0)), decimal("1.41421356237309504880168872420969"));
  expect_close(sqrt(DoubleDouble(3.0)), decimal("1.73205080756887729352744634150587"));
  expect_close(DoubleDouble(1.0) / 7.0, decimal("0.14285714285714285714285714285714"));
}

TEST(DoubleDouble, GoesThereAndBack) {
  const DoubleDouble third = DoubleDouble(1.0) / 3.0;
  EXPECT_EQ(third, DoubleDouble(0x1.5555555555555p-2, 0x1.5555555555555p-56));
  expect_close(third * 3.0, 1.0);
  expect_close(3.0 * third, 1.0);
  const DoubleDouble root = sqrt(DoubleDouble(2.0));
  expect_close(root * root, 2.0);
  expect_close(kPi / kE * kE, kPi);
  expect_close(kPi + kE - kE, kPi);
  EXPECT_EQ(1.0 - (1.0 - kPi), kPi);
}

TEST(DoubleDouble, AddsWhatDoublesLose) {
  DoubleDouble sum = 1e20;
  for (int k = 0; k < 1000; ++k) sum += 0.001;
  sum -= 1e20;
  EXPECT_NEAR(to_double(sum), 1.0, 1e-9);  // the last place of 1e20 is 2^-39 in a pair, 16384 in a double
}

TEST(DoubleDouble, CancelsWithoutLoss) {
  // Both pairs have low parts of the other sign.
  const DoubleDouble a(1.0, 0x1.0p-60), b(1.0, -0x1.0p-70);
  EXPECT_EQ(a - b, DoubleDouble(0x1.0p-60 + 0x1.0p-70));
}

TEST(DoubleDouble, PowersAreProducts) {
  EXPECT_EQ(power(DoubleDouble(3.0), 0), 1.0);
  EXPECT_EQ(power(DoubleDouble(3.0), 1), 3.0);
  EXPECT_EQ(power(DoubleDouble(-3.0), 3), -27.0);
  EXPECT_EQ(power(DoubleDouble(10.0), 30), DoubleDouble(1e15) * 1e15);
  // The powers of the doubles 1.1 and -6.873, not of the decimal numbers.
  expect_close(power(1.1, 20), DoubleDouble(0x1.ae8f5bf28c7d7p+2, 0x1.cb9f62c08e586p-55), 20.0 * kRelative);
  expect_close(power(-6.873, 10), DoubleDouble(0x1.c0a2a8630cec1p+27, 0x1.61fe4075d0babp-27), 10.0 * kRelative);
}

TEST(DoubleDouble, IsOrderedByValue) {
  const DoubleDouble more(1.0, 0x1.0p-80), less(1.0, -0x1.0p-80);
  EXPECT_LT(less, 1.0);
  EXPECT_GT(more, 1.0);
  EXPECT_LT(less, more);
  EXPECT_NE(more, 1.0);
  EXPECT_EQ(abs(-more), more);
  EXPECT_GT(0.0, -more);
}

TEST(DoubleDouble, HasRootsAndQuotientsAtTheEdges) {
  EXPECT_EQ(sqrt(DoubleDouble(0.0)), 0.0);
  EXPECT_TRUE(std::isnan(sqrt(DoubleDouble(-1.0)).high));
  EXPECT_EQ((DoubleDouble(1.0) / 0.0).high, std::numeric_limits<double>::infinity());
  EXPECT_EQ(DoubleDouble(0.0) / 3.0, 0.0);
}

}  // namespace
}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#include "secure_sum/wide.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "linalg/random/rng_stream.hpp"

namespace fedrk::masking {
namespace {

double there_and_back(double value) { return to_double(wide_from(value).value()); }

TEST(Wide, HoldsEveryDoubleOfItsRangeExactly) {
  for (const double value : {0.0, 1.0, -1.0, 0.1, -3.5e17, 0x1.fffffffffffffp99, -0x1.0p-200, 0x1.0000000000001p-150}) {
    EXPECT_EQ(there_and_back(value), value);
  }
  RngStream stream = stream_for(1, Purpose::GeneratedNoise);
  for (int k = 0; k < 10'000; ++k) {
    const double value = std::ldexp(stream.uniform() - 0.5, static_cast<int>(stream.below(250)) - 150);
    ASSERT_EQ(there_and_back(value), value);
  }
}

TEST(Wide, RefusesWhatIsTooLargeOrNoNumber) {
  EXPECT_FALSE(wide_from(0x1.0p100));
  EXPECT_FALSE(wide_from(-0x1.0p100));
  EXPECT_FALSE(wide_from(std::numeric_limits<double>::infinity()));
  EXPECT_FALSE(wide_from(std::numeric_limits<double>::quiet_NaN()));
}

// Below its unit of 2^-256 a number is rounded to it.
TEST(Wide, RoundsWhatIsFinerThanItsUnit) {
  EXPECT_EQ(there_and_back(0x1.0p-256), 0x1.0p-256);
  EXPECT_EQ(there_and_back(0x1.8p-256), 0x1.0p-255);
  EXPECT_EQ(there_and_back(0x1.0p-258), 0.0);
  EXPECT_EQ(there_and_back(-0x1.8p-256), -0x1.0p-255);
  EXPECT_EQ(there_and_back(std::numeric_limits<double>::denorm_min()), 0.0);
}

// 2^90 + 1 + 2^-100 - 2^90 - 1 is 2^-100, which doubles added up one by one would lose.
TEST(Wide, AddsUpExactlyInAnyOrder) {
  const std::vector<double> numbers{0x1.0p90, 1.0, 0x1.0p-100, -0x1.0p90, -1.0};
  Wide forward{}, backward{};
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    add_wide(*wide_from(numbers[k]), forward);
    subtract_wide(*wide_from(-numbers[numbers.size() - 1 - k]), backward);
  }
  EXPECT_EQ(to_double(forward), 0x1.0p-100);
  EXPECT_EQ(forward, backward);
}

// The exact sum of 1 and 2^-53 lies between two doubles, and is rounded to the even one; a little more is rounded up.
TEST(Wide, RoundsToTheNearestDouble) {
  Wide sum{};
  add_wide(*wide_from(1.0), sum);
  add_wide(*wide_from(0x1.0p-53), sum);
  EXPECT_EQ(to_double(sum), 1.0);
  add_wide(*wide_from(0x1.0p-200), sum);
  EXPECT_EQ(to_double(sum), 1.0 + 0x1.0p-52);
}

// As a pair it is known to twice the precision, and a sum that is larger than any of its numbers may be still is.
TEST(Wide, RoundsToTheNearestPairOfDoubles) {
  for (const double high : {1.0, -3.5e17, 0x1.fffffffffffffp99, 0x1.0p-40}) {
    for (const double part : {0x1.0p-54, -0x1.8p-60, 0x1.0p-100}) {
      Wide sum = *wide_from(high);
      add_wide(*wide_from(part * high), sum);
      EXPECT_EQ(to_pair(sum), (std::array{high, part * high}));
    }
  }
  Wide large{};
  for (int k = 0; k < 1000; ++k) add_wide(*wide_from(-0x1.0p99), large);
  add_wide(*wide_from(1e-30), large);
  EXPECT_EQ(to_pair(large), (std::array{-1000.0 * 0x1.0p99, 1e-30}));
  EXPECT_EQ(to_pair(Wide{}), (std::array{0.0, 0.0}));
}

}  // namespace
}  // namespace fedrk::masking

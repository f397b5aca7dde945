// SPDX-License-Identifier: Apache-2.0
#include "analysis/privacy_forecast.hpp"

#include <gtest/gtest.h>

namespace fedrk {
namespace {

PrivacyForecast told(const privacy::PublicShape& shape, double epsilon, std::optional<double> clip = {}) {
  return forecast(make_privacy_plan({.epsilon = epsilon, .delta = 1e-5, .clip = clip}, shape, 6), shape);
}

TEST(PrivacyForecast, FallsWithMoreRowsAndAWeakerPromise) {
  const privacy::PublicShape small{2'000, 4, 500, 5, 4}, large{20'000, 4, 5'000, 5, 4};

  EXPECT_LT(told(large, 1.0).relative_error, 0.5 * told(small, 1.0).relative_error);
  EXPECT_LT(told(small, 4.0).relative_error, told(small, 0.5).relative_error);
}

TEST(PrivacyForecast, IsHopelessForTheRowsOfAnAfternoon) {
  EXPECT_GT(told({97, 7, 14, 9, 7}, 1.0).relative_error, kHopeless);
  EXPECT_GT(told({300, 4, 75, 40, 4}, 1.0).relative_error, kHopeless);
}

TEST(PrivacyForecast, IsHopelessWhereTheClipNeverArrives) {
  EXPECT_GT(told({8'000, 4, 2'000, 9, 4}, 1.0, 1e-6).relative_error, kHopeless);
}

TEST(PrivacyForecast, TakesNoMoreTimeForManyRowsAndKeepsItsWord) {
  // A thousand times the rows: the noise is nothing, and what is left is the fluctuation of the thinned-out passes.
  const PrivacyForecast large = told({80'000'000, 8, 10'000'000, 9, 8}, 1.0);
  EXPECT_LT(large.relative_error, told({80'000, 8, 10'000, 9, 8}, 1.0).relative_error * 1.5);
}

}  // namespace
}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#include "round/stopping.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "linalg/random/rng_stream.hpp"
#include "support/histories.hpp"

namespace fedrk {
namespace {

using test::history_of;

TEST(ResidualTrend, TellsAFallFromALevel) {
  const auto level = residual_trend(history_of(100, [](auto t) { return 0.3 + 0.01 * std::sin(t); }), 50);
  const auto falling = residual_trend(history_of(100, [](auto t) { return std::pow(0.99, t); }), 50);

  EXPECT_FALSE(level->falling);
  EXPECT_NEAR(level->level, 0.3, 0.005);
  EXPECT_TRUE(falling->falling);
}

TEST(ResidualTrend, AllowsForTheScatterOfTheResiduals) {
  // Residuals that scatter by a factor of two around a level, over many seeds: hardly ever called a fall.
  int called_falling = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    RngStream stream = stream_for(seed, Purpose::GeneratedNoise);
    const auto history = history_of(200, [&](auto) { return std::exp(0.7 * stream.gaussian()); });
    called_falling += residual_trend(history, 100)->falling ? 1 : 0;
  }

  EXPECT_LE(called_falling, 12);  // one-sided two standard errors: 2.3 % of 200, and five standard deviations more
}

TEST(ResidualTrend, NeedsReportsInBothStretches) {
  EXPECT_FALSE(residual_trend(history_of(19, [](auto) { return 1.0; }), 10));
  EXPECT_FALSE(
      residual_trend(history_of(100, [](auto t) { return t % 10 == 0 ? std::optional(1.0) : std::nullopt; }), 50));
  EXPECT_FALSE(residual_trend({}, 0));
  EXPECT_TRUE(residual_trend(history_of(20, [](auto) { return 0.0; }), 10));
}

}  // namespace
}  // namespace fedrk

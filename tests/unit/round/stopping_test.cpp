// SPDX-License-Identifier: Apache-2.0
#include "round/stopping.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "support/histories.hpp"

namespace fedrk {
namespace {

using test::history_of;

TEST(StoppingRule, LooksAtTheToleranceOnlyWhereThereIsOne) {
  const auto history = history_of(1, [](auto) { return 1e-7; });

  EXPECT_TRUE((StoppingRule{.tolerance = 1e-6}).tolerance_seems_met(history));
  EXPECT_FALSE((StoppingRule{.tolerance = 1e-8}).tolerance_seems_met(history));
  EXPECT_FALSE(StoppingRule{}.tolerance_seems_met(history));
  EXPECT_FALSE((StoppingRule{.tolerance = 1.0}).tolerance_seems_met({}));
}

TEST(StoppingRule, WaitsForAReport) {
  const auto silent = history_of(3, [](auto) { return std::optional<double>(); });

  EXPECT_FALSE((StoppingRule{.tolerance = 1.0}).tolerance_seems_met(silent));
  EXPECT_FALSE((StoppingRule{.patience = 1}).stagnant(silent));
}

TEST(StoppingRule, CallsALevelStagnation) {
  const auto level = [](std::uint32_t t) { return 0.3 + 0.01 * std::sin(t); };
  const auto falling = [](std::uint32_t t) { return std::pow(0.999, t); };
  const StoppingRule rule{.patience = 50};

  EXPECT_TRUE(rule.stagnant(history_of(100, level)));
  EXPECT_FALSE(rule.stagnant(history_of(99, level)));  // not yet two windows
  EXPECT_FALSE(rule.stagnant(history_of(100, falling)));
  EXPECT_FALSE(StoppingRule{}.stagnant(history_of(100, level)));
}

// Regression: a residual that falls by a power of the rounds was given up on. A quarter of the run shows the fall.
TEST(StoppingRule, LooksAtLongerStretchesAsTheRunGetsLonger) {
  const StoppingRule rule{.patience = 100};
  for (std::uint32_t rounds = 200; rounds <= 10000; rounds += 100) {
    EXPECT_FALSE(rule.stagnant(history_of(rounds, [](std::uint32_t t) { return std::pow(t + 1.0, -0.1); }))) << rounds;
  }
}

TEST(StoppingRule, TakesAResidualOfZeroAsItIs) {
  EXPECT_TRUE((StoppingRule{.patience = 10}).stagnant(history_of(20, [](auto) { return 0.0; })));
}

}  // namespace
}  // namespace fedrk

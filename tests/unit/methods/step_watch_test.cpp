// SPDX-License-Identifier: Apache-2.0
#include "fedrk/methods/step_watch.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "fedrk/random/rng_stream.hpp"

namespace fedrk {
namespace {

TEST(StepWatch, SeesNothingInAStraightWay) {
  StepWatch watch;
  for (int t = 0; t < 300; ++t) {
    watch.see(std::vector{1.0 * t, 0.0}, std::vector{t + 1.0, 0.0});
    EXPECT_FALSE(watch.going_nowhere()) << "round " << t;
  }
}

// To and fro between 0 and 1: after k rounds the squares add up to k, and the farthest was 1. Twenty times that is
// exceeded in the twenty-first round.
TEST(StepWatch, SaysThatToAndFroLeadsNowhereOnceItHasSeenEnough) {
  StepWatch watch;
  for (std::size_t t = 1; t <= 40; ++t) {
    const bool there = t % 2 == 1;
    watch.see(std::vector{there ? 0.0 : 1.0}, std::vector{there ? 1.0 : 0.0});
    EXPECT_EQ(watch.going_nowhere(), t > 20) << "round " << t;
    EXPECT_EQ(watch.farthest(), 1.0);
  }
}

TEST(StepWatch, SeesNothingWhereNobodyMoves) {
  StepWatch watch;
  for (int t = 0; t < 100; ++t) watch.see(std::vector{2.0}, std::vector{2.0});
  EXPECT_FALSE(watch.going_nowhere());
}

// Rounds 1 to 120 are the first stretch. What they did well does not excuse the next.
TEST(StepWatch, BeginsANewStretchAfterManyRounds) {
  StepWatch watch;
  for (int t = 0; t < 120; ++t) watch.see(std::vector{1.0 * t}, std::vector{t + 1.0});
  for (int t = 1; t <= 30; ++t) {
    const bool there = t % 2 == 1;
    watch.see(std::vector{there ? 120.0 : 121.0}, std::vector{there ? 121.0 : 120.0});
    EXPECT_EQ(watch.going_nowhere(), t > 20) << t;
  }
}

// Projections in turn onto two lines that meet, at 5 to 89 degrees: from any start the way leads to the point where
// they meet, though in zigzags.
TEST(StepWatch, BelievesInProjectionsOntoLinesThatMeet) {
  constexpr double kDegree = 3.14159265358979323846 / 180.0;
  for (const double degrees : {5.0, 20.0, 45.0, 89.0}) {
    const double c = std::cos(degrees * kDegree), s = std::sin(degrees * kDegree);
    StepWatch watch;
    std::vector<double> x{3.0, 1.0};
    for (int t = 0; t < 200; ++t) {
      const auto before = x;
      if (t % 2 == 0) {
        x = {x[0], 0.0};
      } else {
        const double along = c * x[0] + s * x[1];
        x = {along * c, along * s};
      }
      watch.see(before, x);
      ASSERT_FALSE(watch.going_nowhere()) << degrees << " degrees, round " << t;
    }
  }
}

// Steps at right angles to those before, as a memory makes them: their squares add up to the square of the distance.
TEST(StepWatch, BelievesInStepsAtRightAngles) {
  StepWatch watch;
  std::vector<double> x(200, 0.0);
  for (std::size_t t = 0; t < 200; ++t) {
    const auto before = x;
    x[t] = 1.0;
    watch.see(before, x);
    ASSERT_FALSE(watch.going_nowhere()) << "round " << t;
  }
}

TEST(StepWatch, SeesHoveringAroundAPoint) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    RngStream stream = stream_for(seed, Purpose::GeneratedNoise);
    StepWatch watch;
    std::vector<double> x(20, 0.0);
    bool seen = false;
    for (int t = 0; t < 120; ++t) {
      const auto before = x;
      for (double& entry : x) entry = 1.0 + 0.1 * stream.gaussian();
      watch.see(before, x);
      if (t == 0) continue;  // the way to the point is long
      seen = seen || watch.going_nowhere();
    }
    EXPECT_FALSE(seen);  // as that way is part of the stretch, and its square outweighs the small ones
    for (int t = 0; t < 60; ++t) {
      const auto before = x;
      for (double& entry : x) entry = 1.0 + 0.1 * stream.gaussian();
      watch.see(before, x);
      seen = seen || watch.going_nowhere();
    }
    EXPECT_TRUE(seen) << "seed " << seed;
  }
}

}  // namespace
}  // namespace fedrk

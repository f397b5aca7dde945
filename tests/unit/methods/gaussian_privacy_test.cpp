// SPDX-License-Identifier: Apache-2.0
#include "methods/gaussian_privacy.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace fedrk::privacy {
namespace {

TEST(GaussianPrivacy, ConvertsEpsilonToRhoAndBack) {
  // By hand: ln 1e5 = 11.512925, sqrt 12.512925 = 3.537362, sqrt 11.512925 = 3.393070; the difference squared.
  EXPECT_NEAR(rho_of(1.0, 1e-5), 0.144292 * 0.144292, 1e-6);
  // 0.5 + 2 sqrt(0.5 * 13.815511) = 5.756521
  EXPECT_NEAR(epsilon_of(0.5, 1e-6), 5.756521, 1e-6);
  for (const double epsilon : {1e-9, 0.01, 1.0, 8.0, 500.0}) {
    for (const double delta : {1e-12, 1e-5, 0.09}) {
      EXPECT_NEAR(epsilon_of(rho_of(epsilon, delta), delta), epsilon, 1e-12 * epsilon);
    }
  }
}

TEST(GaussianPrivacy, SpendsLessForASmallerEpsilonOrDelta) {
  EXPECT_LT(rho_of(0.5, 1e-5), rho_of(1.0, 1e-5));
  EXPECT_LT(rho_of(1.0, 1e-9), rho_of(1.0, 1e-5));
}

TEST(GaussianPrivacy, CountsTwiceTheClipTheGridAndTheArithmetic) {
  // 2c = 6; sqrt(4) 2^-1 = 1; (4 + 13) 100^2 2^-53 = 1.9e-11 of 2c.
  const ClippedPass pass{.clip = 3.0, .noise = 1.0, .exponent = -1};
  EXPECT_NEAR(sensitivity(pass, 100, 4), 7.0 + 6.0 * 17e4 * 0x1.0p-53, 1e-14);
  // Only the rows that are used make errors.
  EXPECT_LT(sensitivity({.steps = 10, .clip = 3.0, .exponent = -1}, 100, 4), sensitivity(pass, 100, 4));
}

TEST(GaussianPrivacy, OfAPassCountsTheNoiseOfAllParticipantsButOne) {
  // D = 2, share 4: with three in the sum sigma^2 = 2 * 16, so rho = 4 / 64; with nine 8 * 16, and 4 / 256.
  const ClippedPass pass{.clip = 1.0, .noise = 4.0, .exponent = -60};
  EXPECT_NEAR(rho_of_pass(pass, 10, 1, 3), 1.0 / 16.0, 1e-12);
  EXPECT_NEAR(rho_of_pass(pass, 10, 1, 9), 1.0 / 64.0, 1e-12);
  EXPECT_TRUE(std::isinf(rho_of_pass({.clip = 1.0}, 10, 1, 3)));
}

// The mechanism itself, independent of the formulas of zCDP: with Gaussian noise the two neighbours' answers are
// N(0, sigma^2) and N(D, sigma^2), for which delta at an epsilon is known exactly (Balle and Wang, ICML 2018):
// delta = F(D/2s - epsilon s/D) - e^epsilon F(-D/2s - epsilon s/D).
TEST(GaussianPrivacy, GrantsAtLeastTheDeltaThatTheGaussianMechanismHasExactly) {
  const auto normal = [](double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); };
  for (const double epsilon : {0.1, 1.0, 4.0}) {
    const double delta = 1e-5, ratio = 1.0 / std::sqrt(2.0 * rho_of(epsilon, delta));  // sigma/D
    const double half = 0.5 / ratio, shift = epsilon * ratio;
    const double exact = normal(half - shift) - std::exp(epsilon) * normal(-half - shift);
    EXPECT_LE(exact, delta);
  }
}

}  // namespace
}  // namespace fedrk::privacy

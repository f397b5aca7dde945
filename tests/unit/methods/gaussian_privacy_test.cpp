// SPDX-License-Identifier: Apache-2.0
#include "methods/gaussian_privacy.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace fedrk::privacy {
namespace {

/// rho by the bound of zero-concentrated privacy, epsilon = rho + 2 sqrt(rho ln(1/delta)).
double concentrated_rho(double epsilon, double delta) {
  const double log = -std::log(delta), root = std::sqrt(log + epsilon) - std::sqrt(log);
  return root * root;
}

// Values of F(mu/2 - epsilon/mu) - e^epsilon F(-mu/2 - epsilon/mu) to 60 digits (mpmath).
TEST(GaussianPrivacy, KnowsDeltaOfAMechanismFromTinyToHuge) {
  struct {
    double mu, epsilon, log_delta;
  } const known[] = {
      {1.0, 1.0, -2.0640664465003905},      {0.25, 1.0, -12.742464961290055},    {0.5, 0.0, -1.6224590640372049},
      {3.0, 0.5, -0.18633462646003074},     {1e-6, 1e-7, -14.862663822037167},   {1e-6, 4e-6, -25.664570135515051},
      {0.0005, 0.003, -30.178281881493595}, {0.001, 0.001, -9.3923763840394127}, {0.02, 0.5, -323.52353642868837},
      {0.05, 1.6, -522.04937424375126},     {40.0, 900.0, -5.1503349255933067}};
  for (const auto& [mu, epsilon, log_delta] : known) {
    // A relative error of 1e-11 in delta, and of the sums that the logarithm is made of.
    EXPECT_NEAR(log_delta_of(mu, epsilon), log_delta, 1e-11 + 4e-15 * -log_delta) << mu << " " << epsilon;
  }
}

TEST(GaussianPrivacy, KnowsWhatEpsilonAndDeltaLeave) {
  struct {
    double epsilon, delta, rho;
  } const known[] = {{1.0, 1e-5, 0.035925702327418217},    {1.0, 1e-6, 0.028014481912630339},
                     {0.1, 1e-5, 0.00052880069781512322},  {4.0, 1e-5, 0.42774858272948233},
                     {8.0, 1e-9, 0.79663559364748499},     {1e-9, 1e-12, 8.4230630760351972e-20},
                     {0.01, 0.09, 0.028167132100063476},   {500.0, 1e-6, 371.37441289241443},
                     {1e-6, 1e-5, 3.4586013977335152e-10}, {1.0, 1e-300, 0.00036790000766747530}};
  for (const auto& [epsilon, delta, rho] : known) {
    EXPECT_NEAR(rho_of(epsilon, delta), rho, 1e-11 * rho) << epsilon << " " << delta;
    EXPECT_NEAR(epsilon_of(rho, delta), epsilon, 1e-9 * epsilon) << epsilon << " " << delta;
  }
}

TEST(GaussianPrivacy, IsMonotone) {
  double last = -INFINITY;
  for (double mu = 1e-8; mu < 50.0; mu *= 1.07) {
    const double log_delta = log_delta_of(mu, 0.7);
    EXPECT_GE(log_delta, last) << mu;
    last = log_delta;
  }
  for (int k = 0; k < 3000; ++k) {
    EXPECT_GT(log_delta_of(0.8, 0.01 * k), log_delta_of(0.8, 0.01 * (k + 1))) << k;
  }
}

TEST(GaussianPrivacy, NeedsLessNoiseThanTheBoundOfConcentratedPrivacy) {
  const auto noise_ratio = [](double epsilon, double delta) {
    return std::sqrt(concentrated_rho(epsilon, delta) / rho_of(epsilon, delta));
  };
  EXPECT_NEAR(noise_ratio(1.0, 1e-6), 0.7897, 1e-4);
  EXPECT_NEAR(noise_ratio(1.0, 1e-5), 0.7613, 1e-4);
  for (const double epsilon : {1e-3, 0.1, 1.0, 8.0, 500.0}) {
    for (const double delta : {1e-12, 1e-5, 0.09}) EXPECT_LT(noise_ratio(epsilon, delta), 1.0);
  }
}

TEST(GaussianPrivacy, OfDeltaAloneLeavesNoEpsilon) {
  EXPECT_EQ(epsilon_of(0.0, 1e-5), 0.0);
  EXPECT_EQ(epsilon_of(1e-12, 1e-5), 0.0);  // mu = 1.4e-6, delta = 0.4 mu
  EXPECT_GT(epsilon_of(1e-8, 1e-5), 0.0);
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

}  // namespace
}  // namespace fedrk::privacy

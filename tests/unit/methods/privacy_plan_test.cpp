// SPDX-License-Identifier: Apache-2.0
#include "methods/privacy_plan.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "fedrk/error.hpp"
#include "methods/gaussian_privacy.hpp"

namespace fedrk::privacy {
namespace {

constexpr PublicShape kShape{.rows = 80'000, .clients = 8, .max_rows = 10'000, .unknowns = 9, .participants = 8};

std::string plan_refusal(const PrivacyOptions& options, PublicShape shape = kShape, std::uint32_t rounds = 6) {
  try {
    make_privacy_plan(options, shape, rounds);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(PrivacyPlan, SpendsWhatEpsilonAndDeltaLeaveInEqualParts) {
  const PrivacyPlan plan = make_privacy_plan({.epsilon = 1.0, .delta = 1e-5}, kShape, 6);

  ASSERT_EQ(plan.rounds.size(), 6);
  double spent = 0.0;
  for (const PrivateRound& round : plan.rounds) {
    // As a client that knows only its task would count it.
    spent += rho_of_pass(round.pass, kShape.max_rows, kShape.unknowns, plan.min_answers);
    EXPECT_NEAR(round.rho, plan.rho / 6.0, 1e-15);
  }
  EXPECT_NEAR(spent, rho_of(1.0, 1e-5), 1e-12);
  EXPECT_LE(epsilon_of(spent, 1e-5), 1.0 + 1e-9);
}

TEST(PrivacyPlan, SharesTheNoiseSoThatTheSumHasEnoughWithoutOneOfThem) {
  const PrivacyPlan plan = make_privacy_plan({.epsilon = 1.0, .delta = 1e-5, .clip = 0.5}, kShape, 1);

  const PrivateRound& round = plan.rounds[0];
  EXPECT_EQ(plan.min_answers, 8);
  EXPECT_EQ(round.pass.clip, 0.5);
  EXPECT_NEAR(7.0 * round.pass.noise * round.pass.noise, round.sigma * round.sigma, 1e-12 * round.sigma * round.sigma);
  EXPECT_NEAR(round.sigma, 3.7306316, 1e-4);  // 2c/mu, c = 0.5
}

TEST(PrivacyPlan, MakesLargerSharesWhereSomeMayBeMissing) {
  const PrivacyPlan plan = make_privacy_plan({.epsilon = 1.0, .clip = 0.5, .min_answers = 5}, kShape, 1);

  const PrivateRound& round = plan.rounds[0];
  EXPECT_EQ(plan.min_answers, 5);
  EXPECT_NEAR(4.0 * round.pass.noise * round.pass.noise, round.sigma * round.sigma, 1e-12 * round.sigma * round.sigma);
  EXPECT_NEAR(rho_of_pass(round.pass, kShape.max_rows, kShape.unknowns, 5), plan.rho, 1e-12);
  EXPECT_GT(rho_of_pass(round.pass, kShape.max_rows, kShape.unknowns, 4), plan.rho);
}

TEST(PrivacyPlan, HasAGridAMillionTimesFinerThanTheNoise) {
  for (const double clip : {1e-20, 0.003, 1.0, 7e15}) {
    for (const PrivateRound& round : make_privacy_plan({.epsilon = 1.0, .clip = clip}, kShape, 6).rounds) {
      const double units = std::ldexp(round.pass.noise, -round.pass.exponent);
      EXPECT_GE(units, 0x1.0p20);
      EXPECT_LE(units, 0x1.0p22);
    }
  }
}

TEST(PrivacyPlan, LetsTheClipFallToATwelfthFromWhatArrivesInOneRound) {
  const PrivacyPlan plan = make_privacy_plan({.epsilon = 1.0}, kShape, 6);

  // 2 sqrt(9) over 10,000 steps of sqrt(2/(9 pi)) each.
  EXPECT_NEAR(plan.rounds.front().pass.clip, 6.0 / (1e4 * 0.265962), 1e-8);
  EXPECT_NEAR(plan.rounds.back().pass.clip, plan.rounds.front().pass.clip / 12.0, 1e-12);
  for (std::size_t t = 1; t < plan.rounds.size(); ++t) {
    EXPECT_LT(plan.rounds[t].pass.clip, plan.rounds[t - 1].pass.clip);
    EXPECT_LT(plan.rounds[t].sigma, plan.rounds[t - 1].sigma);
  }
}

TEST(PrivacyPlan, IsRefusedWhereItCouldNotHold) {
  const std::string few = plan_refusal({.epsilon = 1.0}, {100, 2, 50, 3, 2});
  EXPECT_NE(few.find("at least 3 participants a round, not 2"), std::string::npos) << few;
  EXPECT_NE(plan_refusal({.epsilon = 1.0, .delta = 0.1}).find("delta is above 0 and below 0.1"), std::string::npos);
  EXPECT_NE(plan_refusal({.epsilon = 1.0, .delta = 0.0}).find("delta is above 0"), std::string::npos);
  EXPECT_NE(plan_refusal({.epsilon = -1.0}).find("epsilon is above 0"), std::string::npos);
  EXPECT_NE(plan_refusal({.epsilon = NAN}).find("epsilon is above 0"), std::string::npos);
  EXPECT_NE(plan_refusal({.epsilon = 0.0}).find("needs an epsilon"), std::string::npos);
  EXPECT_NE(plan_refusal({.epsilon = 1.0, .clip = 0.0}).find("the clip is a length"), std::string::npos);
  EXPECT_NE(plan_refusal({.epsilon = 1.0}, kShape, 0).find("at least one round"), std::string::npos);
  for (const std::size_t min_answers : {std::size_t{2}, std::size_t{9}}) {
    EXPECT_NE(plan_refusal({.epsilon = 1.0, .min_answers = min_answers}).find("at least 3 and at most 8"),
              std::string::npos);
  }
  EXPECT_EQ(plan_refusal({.epsilon = 1.0}), "accepted");
}

}  // namespace
}  // namespace fedrk::privacy

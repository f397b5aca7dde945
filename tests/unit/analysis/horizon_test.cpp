// SPDX-License-Identifier: Apache-2.0
#include "fedrk/analysis/horizon.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "fedrk/federated/federated_run.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

RunHistory run(const GeneratorOptions& problem, RunOptions options) {
  InProcessEngine engine(test::clients_of(generate(problem).system, 8, problem.seed), 1);
  options.seed = problem.seed;
  return FederatedRun(options).run(engine).history;
}

TEST(Horizon, IsSeenOnAnInconsistentSystem) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto horizon =
        find_horizon(run({.kind = ProblemKind::Inconsistent, .rows = 160, .cols = 20, .seed = seed}, {.rounds = 400}));

    EXPECT_EQ(horizon.progress, Progress::Hovering) << "seed " << seed;
    EXPECT_GT(horizon.level, 0.5);
    EXPECT_LT(horizon.since_round, 200);
  }
}

TEST(Horizon, IsNotSeenWhereTheErrorStillFalls) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto history = run({.rows = 160, .cols = 100, .seed = seed}, {.rounds = 200, .participants = 3});

    EXPECT_EQ(find_horizon(history).progress, Progress::Falling) << "seed " << seed;
  }
}

TEST(Horizon, IsNotConfusedWithHavingArrived) {
  const auto history = run({.rows = 80, .cols = 10}, {.rounds = 1000, .local_budget = UntilProjected{}});

  const auto horizon = find_horizon(history);

  EXPECT_EQ(horizon.progress, Progress::AtRounding);
  EXPECT_NE(describe(horizon, {}).find("Solved to rounding"), std::string::npos);
}

TEST(Horizon, IsUnknownAfterAFewRounds) {
  EXPECT_EQ(find_horizon(run({.rows = 80, .cols = 40}, {.rounds = 10})).progress, Progress::Unknown);
  EXPECT_EQ(find_horizon({}).progress, Progress::Unknown);
}

TEST(Horizon, ComesWithAdviceThatFitsTheRun) {
  const Horizon hovering{Progress::Hovering, 0.25, 40};

  EXPECT_NE(describe(hovering, {}).find("around 0.25 since round 40"), std::string::npos);
  EXPECT_NE(describe(hovering, {}).find("add noise columns"), std::string::npos);
  EXPECT_NE(describe(hovering, {.thresholding = true}).find("--keep"), std::string::npos);
  EXPECT_NE(describe(hovering, {.noise_columns = true}).find("another number of noise columns"), std::string::npos);
  EXPECT_EQ(describe({Progress::Falling, 0.1, 3}, {}), "");
}

}  // namespace
}  // namespace fedrk

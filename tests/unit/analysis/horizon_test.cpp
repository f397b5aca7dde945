// SPDX-License-Identifier: Apache-2.0
#include "analysis/horizon.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "fedrk/run.hpp"
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
  const auto history = run({.rows = 80, .cols = 10}, {.rounds = 1000, .local_budget = ExactProjection{}});

  const auto horizon = find_horizon(history);

  EXPECT_EQ(horizon.progress, Progress::AtRounding);
  EXPECT_LE(horizon.level, 1e-12);
}

// Regression: clients with many rows and few steps reported too seldom for a verdict.
TEST(Horizon, IsSeenWithClientsOfManyRows) {
  const auto history = run({.kind = ProblemKind::Inconsistent, .rows = 4000, .cols = 50}, {.rounds = 1000});

  EXPECT_EQ(find_horizon(history).progress, Progress::Hovering);
}

TEST(Horizon, IsNotConfusedWithAFixedPoint) {
  InProcessEngine engine(
      test::clients_of(generate({.kind = ProblemKind::Inconsistent, .rows = 40, .cols = 5}).system, 1, 1), 1);
  const auto history = FederatedRun({.rounds = 100, .local_budget = ExactProjection{}}).run(engine).history;

  EXPECT_EQ(find_horizon(history).progress, Progress::AtRest);  // one client, exactly: the least-squares solution
}

TEST(Horizon, IsUnknownAfterAFewRounds) {
  EXPECT_EQ(find_horizon(run({.rows = 80, .cols = 40}, {.rounds = 10})).progress, Progress::Unknown);
  EXPECT_EQ(find_horizon({}).progress, Progress::Unknown);
}

}  // namespace
}  // namespace fedrk

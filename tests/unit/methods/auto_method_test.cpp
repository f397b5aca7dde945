// SPDX-License-Identifier: Apache-2.0
#include "fedrk/methods/auto_method.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "fedrk/methods/method_options.hpp"
#include "support/direct_solver.hpp"
#include "support/scripted_engine.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

RunResult solve(Engine& engine, std::uint64_t seed, std::size_t participants, const MethodOptions& options = {},
                std::vector<double> start = {}) {
  RunOptions run{.seed = seed, .rounds = 3000, .participants = participants};
  run.local_budget = usual_local_budget(options, run, engine.roster(), std::size_t{1} << 20);
  run = run_options_for(options, run);
  const auto method = make_method(options, run, engine);
  return FederatedRun(run).run(engine, *method, std::move(start));
}

InProcessEngine engine_of(LinearSystem system, std::uint64_t seed) {
  return InProcessEngine(test::clients_of(std::move(system), 6, seed, {.sampling = RowSampling::Shuffled}), 1);
}

LinearSystem noisy(std::uint64_t seed) {
  return generate({.kind = ProblemKind::Inconsistent, .rows = 120, .cols = 20, .seed = seed}).system;
}

bool says(const RunResult& result, const std::string& words) {
  return !result.notes.empty() && result.notes[0].find(words) != std::string::npos;
}

TEST(Auto, PicksHyperplanesForEquationsThatHaveASolution) {
  for (const std::size_t participants : {0U, 2U}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      auto problem = generate({.rows = 120, .cols = 40, .seed = seed});
      auto engine = engine_of(std::move(problem.system), seed);

      const auto result = solve(engine, seed, participants);

      EXPECT_EQ(result.termination, Termination::Converged);
      EXPECT_LT(test::relative_distance(result.x, problem.solution), 1e-10) << "seed " << seed;
      EXPECT_EQ(result.notes, std::vector<std::string>{"Picked one summed hyperplane a round with a memory of 5 "
                                                       "rounds: the equations do not contradict each other."});
    }
  }
}

TEST(Auto, SaysThatTheSolutionNearestToTheStartIsFoundWhereThereAreMany) {
  for (const std::size_t participants : {0U, 2U}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      auto problem = generate({.rows = 30, .cols = 60, .seed = seed});
      const auto start = test::gaussian_vector(60, seed);
      const auto truth = test::nearest_solution(problem.system, start);
      auto engine = engine_of(std::move(problem.system), seed);

      const auto result = solve(engine, seed, participants, {}, start);

      EXPECT_LT(test::relative_distance(result.x, truth), 1e-8) << participants << " of 6, seed " << seed;
      EXPECT_TRUE(says(result, "of their solutions the one nearest to the start is found.")) << "seed " << seed;
    }
  }
}

// With five rounds kept a condition number of 1e4 would take many thousands of rounds; with all of them the basis is
// full after 40, and the error that of a direct solver: some 1e4 roundings, and as many in the data.
TEST(Auto, KeepsAllRoundsWhereAFewAreTooSlow) {
  for (const std::size_t participants : {0U, 3U}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      auto problem = test::system_of_condition(120, 40, 1e4, seed);
      auto engine = engine_of(std::move(problem.system), seed);

      const auto result = solve(engine, seed, participants);

      EXPECT_EQ(result.termination, Termination::Converged);
      EXPECT_LT(test::relative_distance(result.x, problem.solution), 1e-7) << participants << " of 6, seed " << seed;
      EXPECT_TRUE(says(result, "memory of all rounds: the equations do not contradict each other.")) << result.notes[0];
      EXPECT_LT(result.history.size(), 400) << participants << " of 6, seed " << seed;
    }
  }
}

TEST(Auto, GoesOnByConjugateGradientsWhereEquationsContradictAndEveryoneTakesPart) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    auto system = noisy(seed);
    const auto truth = test::least_squares(system);
    auto engine = engine_of(std::move(system), seed);

    const auto result = solve(engine, seed, 0);

    EXPECT_EQ(result.termination, Termination::Converged);
    EXPECT_LT(test::relative_distance(result.x, truth), 1e-10) << "seed " << seed;
    EXPECT_TRUE(says(result,
                     "Picked least squares by conjugate gradients, of everyone's sums: the equations "
                     "contradict each other, as one summed hyperplane"))
        << result.notes[0];
    EXPECT_LT(result.history.size(), 120) << "seed " << seed;
  }
}

TEST(Auto, BearsTwoLostRoundsUnderConjugateGradients) {
  auto system = noisy(1);
  const auto truth = test::least_squares(system);
  auto inner = engine_of(std::move(system), 1);
  test::LossyEngine engine(
      inner, [](RoundIndex t, ClientId client) { return client.value == 1 && (t.value == 3 || t.value == 6); });

  const auto result = solve(engine, 1, 0, {.least_squares = true});

  EXPECT_LT(test::relative_distance(result.x, truth), 1e-10);
  EXPECT_EQ(result.notes, std::vector<std::string>{"Picked least squares by conjugate gradients, of everyone's sums."});
}

TEST(Auto, BeginsWithLeastSquaresWhereThatIsAskedFor) {
  for (const std::size_t participants : {0U, 3U}) {
    auto system = noisy(2);
    const auto truth = test::least_squares(system);
    auto engine = engine_of(std::move(system), 2);
    const auto result = solve(engine, 2, participants, {.least_squares = true});
    EXPECT_LT(test::relative_distance(result.x, truth), 1e-10);
    EXPECT_TRUE(says(result, "conjugate gradients")) << result.notes[0];
    EXPECT_FALSE(says(result, "contradict"));
  }
}

}  // namespace
}  // namespace fedrk

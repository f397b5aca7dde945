// SPDX-License-Identifier: Apache-2.0

// Equations that nobody tuned for: very many clients, very few a round, small singular values in a cluster. The answer
// is right, or said not to be.

#include <cmath>

#include <gtest/gtest.h>

#include "methods/method_options.hpp"
#include "support/direct_solver.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

RunResult solve(LinearSystem system, std::size_t clients, std::size_t participants, std::uint64_t seed,
                double tolerance = 1e-8) {
  InProcessEngine engine(test::clients_of(std::move(system), clients, seed, {.sampling = RowSampling::Shuffled}), 1);
  const MethodOptions options;
  RunOptions run{.seed = seed, .participants = participants, .tolerance = tolerance};
  run.local_budget = default_local_budget(goal_of(options, run), engine.roster(), std::size_t{1} << 24);
  run = run_options_for(goal_of(options, run), run);
  const auto method = make_method(options, run, engine);
  return FederatedRun(run).run(engine, *method);
}

// One row a client and one client a round. What was reached is not thrown away.
TEST(Equations, OfAThousandClientsOneARoundAreSolved) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    auto problem = generate({.rows = 1000, .cols = 20, .seed = seed});

    const auto result = solve(std::move(problem.system), 1000, 1, seed);

    EXPECT_TRUE(result.converged.value_or(false)) << "seed " << seed << ", " << result.history.size() << " rounds";
    EXPECT_LT(test::relative_distance(result.x, problem.solution), 1e-7) << "seed " << seed;
  }
}

// Condition 1.9: about that of a Gaussian matrix of ten times as many rows as columns.
TEST(Equations, OfFiveHundredClientsTenARoundDoNotSeemToContradictEachOther) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    auto problem = generate({.rows = 2000, .cols = 200, .seed = seed});

    const auto result = solve(std::move(problem.system), 500, 10, seed);

    EXPECT_TRUE(result.converged.value_or(false)) << "seed " << seed << ", " << result.history.size() << " rounds";
    EXPECT_LT(test::relative_distance(result.x, problem.solution), 1e-7) << "seed " << seed;
  }
}

// Where the residual is within 1e-8, the error is within 1e-8 over the smallest singular value; where it is not, the
// result says so.
TEST(Equations, WithAClusterOfSmallSingularValuesAreRightOrSaidNotToBe) {
  int solved = 0;
  for (std::uint64_t seed = 270; seed < 330; ++seed) {
    auto problem = test::system_of_condition(60, 20, 1.0 + 1e-9, seed);
    // Six directions of the unknowns shrink by 1e-4.
    auto& matrix = std::get<Matrix>(problem.system.rows);
    for (std::size_t i = 0; i < 60; ++i) {
      for (std::size_t j = 0; j < 6; ++j) matrix.row(i)[j] *= 1e-4 * (1.0 + 0.1 * static_cast<double>(j));
      problem.system.rhs[i] = dot(matrix.row(i), problem.solution);
    }
    const auto system = copy_of(problem.system);

    const auto result = solve(std::move(problem.system), 3, 1, seed);

    const double residual = std::sqrt(squared_residual(system, result.x) / squared_norm(system.rhs));
    if (result.converged.value_or(false)) {
      ++solved;
      EXPECT_LE(residual, 1e-8) << "seed " << seed;
      EXPECT_LT(test::relative_distance(result.x, problem.solution), 2e-4) << "seed " << seed;
    }
    EXPECT_LE(residual, 1.0) << "seed " << seed;
  }
  EXPECT_GE(solved, 55);
}

}  // namespace
}  // namespace fedrk

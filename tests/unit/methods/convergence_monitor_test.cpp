// SPDX-License-Identifier: Apache-2.0
#include "methods/convergence_monitor.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "support/direct_solver.hpp"
#include "support/hyperplane_runs.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

using test::solve;

// At the start some clients may have nothing to object: here half of them hold equations <a, x> = 0. Their residual of
// zero must not pass for everyone's.
TEST(ConvergenceMonitor, GoesOnWhereSomeClientsAreContentWithTheStart) {
  for (const Reveal reveal : {Reveal::Sums, Reveal::Updates}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      auto problem = generate({.rows = 30, .cols = 60, .seed = seed});
      for (std::size_t i = 0; i < 15; ++i) problem.system.rhs[i] = 0.0;
      const auto truth = test::least_squares(problem.system);
      InProcessEngine engine(test::clients_of(std::move(problem.system), 6, seed), 1);

      const auto result = solve(
          engine,
          {.seed = seed, .rounds = 2000, .participants = 1, .local_budget = ExactProjection{}, .residual_every = 1},
          {.reveal = reveal, .memory = 5});

      EXPECT_LT(test::relative_distance(result.x, truth), 1e-8) << "seed " << seed << ", " << result.history.size();
      EXPECT_TRUE(result.notes.empty());
    }
  }
}

// Clients may measure in different units. What one reports as its residual then is a million times what another does.
TEST(ConvergenceMonitor, IsNotMisledByClientsOfDifferentScale) {
  for (const Reveal reveal : {Reveal::Sums, Reveal::Updates}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      auto problem = generate({.rows = 60, .cols = 20, .seed = seed});
      for (std::size_t i = 0; i < 60; ++i) {
        const double scale = std::pow(10.0, 3.0 - static_cast<double>(i / 10));
        for (double& entry : std::get<Matrix>(problem.system.rows).row(i)) entry *= scale;
        problem.system.rhs[i] *= scale;
      }
      InProcessEngine engine(test::clients_of(std::move(problem.system), 6, seed), 1);

      const auto result = solve(
          engine,
          {.seed = seed, .rounds = 2000, .participants = 1, .local_budget = ExactProjection{}, .residual_every = 1},
          {.reveal = reveal, .memory = 5});

      EXPECT_LT(test::relative_distance(result.x, problem.solution), 1e-8) << "seed " << seed;
      EXPECT_TRUE(result.notes.empty()) << "seed " << seed;
    }
  }
}

// ---- Equations that contradict each other.

// Whatever happened on the way, the answer is no worse than the start, whose relative residual is one.
TEST(ConvergenceMonitor, EndsARunWhoseEquationsContradictEachOther) {
  for (const Reveal reveal : {Reveal::Sums, Reveal::Updates}) {
    for (const std::size_t memory : {std::size_t{5}, HyperplaneMemory::kAll}) {
      for (const std::size_t participants : {0U, 2U}) {
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
          auto problem = generate({.kind = ProblemKind::Inconsistent, .rows = 120, .cols = 30, .seed = seed});
          InProcessEngine engine(test::clients_of(std::move(problem.system), 6, seed), 1);

          const auto result = solve(engine,
                                    {.seed = seed,
                                     .rounds = 1000,
                                     .participants = participants,
                                     .local_budget = FixedSteps{100},
                                     .residual_every = 1},
                                    {.reveal = reveal, .memory = memory});

          EXPECT_EQ(result.termination, Termination::Contradictory) << participants << " of 6, seed " << seed;
          EXPECT_FALSE(result.converged.value_or(true));
          ASSERT_EQ(result.notes.size(), 1);
          EXPECT_NE(result.notes[0].find("contradict each other"), std::string::npos);
          EXPECT_LE(result.relative_residual.value_or(2.0), 1.0) << participants << " of 6, seed " << seed;
        }
      }
    }
  }
}

// Slow is not contradictory: a small memory at a large condition number moves little in each round.
TEST(ConvergenceMonitor, DoesNotTakeSlowProgressForAContradiction) {
  for (const double condition : {1e2, 1e4, 1e6}) {
    for (const Reveal reveal : {Reveal::Sums, Reveal::Updates}) {
      for (const std::size_t participants : {0U, 2U}) {
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
          auto problem = test::system_of_condition(120, 40, condition, seed);
          InProcessEngine engine(test::clients_of(std::move(problem.system), 6, seed), 1);

          const auto result = solve(engine,
                                    {.seed = seed,
                                     .rounds = 400,
                                     .participants = participants,
                                     .local_budget = FixedSteps{60},
                                     .residual_every = 1},
                                    {.reveal = reveal, .memory = 5});

          EXPECT_TRUE(result.notes.empty()) << "condition " << condition << ", " << participants << " of 6, seed "
                                            << seed << ", sums " << (reveal == Reveal::Sums);
        }
      }
    }
  }
}

// The error falls on the way to x*, but the residual rises a thousandfold where the way turns to the small column.
TEST(ConvergenceMonitor, FindsALargeEntryOfASmallColumn) {
  for (const double size : {1e-3, 1e-4}) {
    for (const std::size_t memory : {std::size_t{5}, HyperplaneMemory::kAll}) {
      for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        auto problem = generate({.rows = 40, .cols = 3, .seed = seed});
        auto& matrix = std::get<Matrix>(problem.system.rows);
        const std::vector<double> truth{1.0, -2.0, 1.0 / size};
        for (std::size_t i = 0; i < 40; ++i) {
          matrix.row(i)[2] *= size;
          problem.system.rhs[i] = dot(matrix.row(i), truth);
        }
        InProcessEngine engine(test::clients_of(std::move(problem.system), 4, seed), 1);

        const auto result =
            solve(engine, {.seed = seed, .rounds = 300, .local_budget = FixedSteps{80}, .residual_every = 1},
                  {.memory = memory});

        EXPECT_LT(test::relative_distance(result.x, truth), 1e-8) << "size " << size << ", seed " << seed;
        EXPECT_EQ(result.termination, Termination::Converged);
        EXPECT_TRUE(result.notes.empty());
      }
    }
  }
}

// Two clients that speak of different unknowns, of sizes 1e-6 and 1e3: a step of the second is no flight.
TEST(ConvergenceMonitor, MindsNoClientsOfDifferentSize) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    std::vector<Client> clients;
    std::vector<double> truth = test::gaussian_vector(20, 5);
    for (std::size_t j = 0; j < 20; ++j) truth[j] *= j < 10 ? 1e-6 : 1e3;
    for (std::uint32_t i = 0; i < 2; ++i) {
      auto problem = generate({.rows = 30, .cols = 20, .seed = 40 + i});
      auto& matrix = std::get<Matrix>(problem.system.rows);
      for (std::size_t row = 0; row < 30; ++row) {
        for (std::size_t j = 0; j < 20; ++j) matrix.row(row)[j] *= (j < 10) == (i == 0) ? 1.0 : 0.0;
        problem.system.rhs[row] = dot(matrix.row(row), truth);
      }
      clients.emplace_back(ClientId{i}, "site", RowBlock(std::move(problem.system)), 100 * seed + i);
    }
    InProcessEngine engine(std::move(clients), 1);

    const auto result = solve(
        engine, {.seed = seed, .rounds = 200, .participants = 1, .local_budget = FixedSteps{240}, .residual_every = 1},
        {.memory = 5});

    EXPECT_LT(test::relative_distance(result.x, truth), 1e-10) << "seed " << seed;
    EXPECT_EQ(result.termination, Termination::Converged) << "seed " << seed;
  }
}

}  // namespace
}  // namespace fedrk

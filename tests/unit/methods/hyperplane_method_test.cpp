// SPDX-License-Identifier: Apache-2.0
#include "methods/hyperplane_method.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "support/direct_solver.hpp"
#include "support/hyperplane_runs.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

using test::solve;

struct Way {
  Reveal reveal;
  std::size_t memory, participants;
  StepBudget budget;
};

std::vector<Way> ways() {
  std::vector<Way> ways;
  for (const Reveal reveal : {Reveal::Sums, Reveal::Updates}) {
    for (const std::size_t memory : {std::size_t{0}, std::size_t{5}, HyperplaneMemory::kAll}) {
      for (const std::size_t participants : {0U, 2U}) {
        ways.push_back({reveal, memory, participants, FixedSteps{60}});
        ways.push_back({reveal, memory, participants, ExactProjection{}});
      }
    }
  }
  return ways;
}

// 120x40 Gaussian has a condition number of about four: 1e-11 is rounding, some times over.
TEST(HyperplaneMethod, EndsAtTheSolutionByItself) {
  for (const Way& way : ways()) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      auto problem = generate({.rows = 120, .cols = 40, .seed = seed});
      InProcessEngine engine(test::clients_of(std::move(problem.system), 6, seed), 1);

      const auto result =
          solve(engine, {.seed = seed, .rounds = 3000, .participants = way.participants, .local_budget = way.budget},
                {.reveal = way.reveal, .memory = way.memory});

      EXPECT_EQ(result.termination, Termination::Converged)
          << "memory " << way.memory << ", " << way.participants << " of 6, seed " << seed;
      EXPECT_LT(test::relative_distance(result.x, problem.solution), 1e-11)
          << "memory " << way.memory << ", " << way.participants << " of 6, seed " << seed;
      EXPECT_TRUE(result.notes.empty());
    }
  }
}

TEST(HyperplaneMethod, EndsAtTheProjectionOfTheStartWhereTheEquationsLeaveAChoice) {
  for (const double density : {1.0, 0.3}) {
    for (const Way& way : ways()) {
      for (std::uint64_t seed = 1; seed <= 2; ++seed) {
        auto problem = generate({.rows = 30, .cols = 60, .density = density, .seed = seed});
        const auto start = test::gaussian_vector(60, seed);
        const auto truth = test::nearest_solution(problem.system, start);
        InProcessEngine engine(test::clients_of(std::move(problem.system), 6, seed), 1);

        const auto result =
            solve(engine, {.seed = seed, .rounds = 3000, .participants = way.participants, .local_budget = way.budget},
                  {.reveal = way.reveal, .memory = way.memory}, start);

        EXPECT_LT(test::relative_distance(result.x, truth), 1e-10)
            << "memory " << way.memory << ", " << way.participants << " of 6, seed " << seed;
      }
    }
  }
}

// n unknowns take n hyperplanes, |S| of which come in a round. A direct solver is off by the condition number times
// 1e-16, and so are we, times some hundred roundings.
TEST(HyperplaneMethod, WithFullMemoryEndsInAsManyRoundsAsItTakesHyperplanesAtAnyConditionNumber) {
  for (const double condition : {1e1, 1e3, 1e6}) {
    for (const std::size_t participants : {6U, 3U}) {
      for (const StepBudget& budget : std::vector<StepBudget>{FixedSteps{60}, ExactProjection{}}) {
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
          auto problem = test::system_of_condition(120, 40, condition, seed);
          InProcessEngine engine(test::clients_of(std::move(problem.system), 6, seed), 1);
          const auto rounds = static_cast<std::uint32_t>((40 + participants - 1) / participants);

          const auto result =
              solve(engine, {.seed = seed, .rounds = rounds, .participants = participants, .local_budget = budget},
                    {.reveal = Reveal::Updates, .memory = HyperplaneMemory::kAll});

          EXPECT_LT(test::relative_distance(result.x, problem.solution), 1e-13 * condition)
              << "condition " << condition << ", " << participants << " a round, seed " << seed;
        }
      }
    }
  }
}

class Unstoppable final : public Method {
 public:
  explicit Unstoppable(Method& inner) : inner_(inner) {}
  Request request(RoundIndex t, std::span<const double> x) override { return inner_.request(t, x); }
  void update(RoundIndex t, RoundReplies& round, std::span<double> x) override { inner_.update(t, round, x); }

 private:
  Method& inner_;
};

// What is left of a displacement is noise then, and a hyperplane through noise could lie anywhere.
TEST(HyperplaneMethod, StaysAtTheSolutionWhenTheRunGoesOn) {
  for (const Way& way : ways()) {
    for (const double condition : {1e1, 1e3}) {
      auto problem = test::system_of_condition(60, 20, condition, 4);
      InProcessEngine engine(test::clients_of(std::move(problem.system), 6, 4), 1);
      HyperplaneMethod method({.local_budget = way.budget, .reveal = way.reveal, .memory = way.memory, .seed = 4}, 6);
      Unstoppable unstoppable(method);
      // With a small condition number 500 rounds are far more than any of these needs.
      const auto result =
          FederatedRun({.seed = 4, .rounds = 800, .participants = way.participants}).run(engine, unstoppable);

      const bool arrives = condition < 1e2 || way.memory == HyperplaneMemory::kAll;
      const double length = std::sqrt(squared_norm(problem.solution));
      EXPECT_LT(distance(result.x, problem.solution), (arrives ? 1e-10 : 1.0) * length)
          << "memory " << way.memory << ", " << way.participants << " of 6, condition " << condition;
      EXPECT_FALSE(method.contradictory());
    }
  }
}

// Clients may hold the same rows. The second hyperplane of such a pair is the first once more, not a contradiction.
TEST(HyperplaneMethod, MindsNoRowsHeldTwice) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto problem = generate({.rows = 40, .cols = 20, .seed = seed});
    std::vector<Client> clients;
    for (std::uint32_t i = 0; i < 4; ++i) {
      auto parts = split(copy_of(problem.system), partition_contiguous(40, 2));
      clients.emplace_back(ClientId{i}, "site", RowBlock(std::move(parts[i / 2])), 100 * seed + i);
    }
    InProcessEngine engine(std::move(clients), 1);

    const auto result = solve(engine, {.seed = seed, .rounds = 500, .local_budget = ExactProjection{}},
                              {.reveal = Reveal::Updates, .memory = HyperplaneMemory::kAll});

    EXPECT_EQ(result.termination, Termination::Converged);
    EXPECT_TRUE(result.notes.empty()) << "seed " << seed;
    EXPECT_LT(test::relative_distance(result.x, problem.solution), 1e-11) << "seed " << seed;
  }
}

}  // namespace
}  // namespace fedrk

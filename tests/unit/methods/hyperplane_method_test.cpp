// SPDX-License-Identifier: Apache-2.0
#include "fedrk/methods/hyperplane_method.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "fedrk/federated/federated_run.hpp"
#include "support/direct_solver.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

RunResult solve(Engine& engine, const RunOptions& options, HyperplaneOptions method, std::vector<double> start = {}) {
  method.local_budget = options.local_budget;
  method.seed = options.seed;
  HyperplaneMethod made(method, engine.roster().size());
  return FederatedRun(options).run(engine, made, std::move(start));
}

// ---- The hyperplanes.

struct Steps {
  RowSampling sampling;
  LocalForm form;
};

std::vector<Steps> all_ways_to_step() {
  std::vector<Steps> ways{{RowSampling::Greedy, LocalForm::Gram}};
  for (const RowSampling sampling : {RowSampling::SquaredNorm, RowSampling::Uniform, RowSampling::Shuffled}) {
    for (const LocalForm form : {LocalForm::Direct, LocalForm::Gram}) ways.push_back({sampling, form});
  }
  return ways;
}

// <Delta, x*> = <y, b>, so the gap is <Delta, x* - x>. A thousand steps each round by about 1e-16 of the way to x*.
TEST(ValidHyperplane, HoldsTheSolutionHoweverTheStepsAreMade) {
  for (const double density : {1.0, 0.3}) {
    for (const Steps& way : all_ways_to_step()) {
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const auto problem = generate({.rows = 20, .cols = 30, .density = density, .seed = seed});
        Client client(ClientId{0}, "site", RowBlock(copy_of(problem.system)), seed,
                      {.sampling = way.sampling, .form = way.form});
        const auto x = test::gaussian_vector(30, seed + 9);
        const double far = distance(problem.solution, x);
        for (const StepBudget& budget : std::vector<StepBudget>{FixedSteps{1}, FixedSteps{2}, FixedSteps{19},
                                                                FixedSteps{1000}, UntilProjected{}}) {
          const auto reply = client.local_update({RoundIndex{4}, x, ValidSteps{budget}});

          ASSERT_TRUE(reply.gap);
          const double truth = dot(reply.values, problem.solution) - dot(reply.values, x);
          const double rounding = 1e-12 * std::sqrt(squared_norm(reply.values)) * far;
          EXPECT_NEAR(*reply.gap, truth, rounding)
              << "density " << density << ", order " << static_cast<int>(way.sampling) << ", form "
              << static_cast<int>(way.form) << ", budget " << budget.index();
        }
      }
    }
  }
}

// One step on a row a: Delta = (r/||a||^2) a and gamma = r^2/||a||^2, by hand.
TEST(ValidHyperplane, OfOneStepIsThatOfTheRow) {
  for (const LocalForm form : {LocalForm::Direct, LocalForm::Gram}) {
    Client client(ClientId{0}, "site", RowBlock({Matrix{{3.0, 4.0}}, {15.0}}), 1, {.form = form});
    const std::vector<double> x{1.0, 0.5};  // <a, x> = 5

    const auto reply = client.local_update({RoundIndex{0}, x, ValidSteps{FixedSteps{1}}});

    EXPECT_NEAR(reply.values[0], 1.2, 1e-15);
    EXPECT_NEAR(reply.values[1], 1.6, 1e-15);
    EXPECT_NEAR(*reply.gap, 4.0, 1e-14);
  }
}

// The steps of the published work, and a scalar more.
TEST(ValidHyperplane, ComesWithTheSameSteps) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const auto problem = generate({.rows = 20, .cols = 30, .seed = seed});
    Client client(ClientId{0}, "site", RowBlock(copy_of(problem.system)), seed, {});
    const auto x = test::gaussian_vector(30, seed);
    const auto valid = client.local_update({RoundIndex{4}, x, ValidSteps{FixedSteps{50}}});
    const auto published = client.local_update({RoundIndex{4}, x, FixedSteps{50}});

    EXPECT_LT(test::relative_distance(valid.values, published.values), 1e-12);
    EXPECT_FALSE(published.gap);
  }
}

TEST(ValidHyperplane, AddsUpToOneThatHoldsTheSolution) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto problem = generate({.rows = 60, .cols = 40, .seed = seed});
    InProcessEngine engine(test::clients_of(copy_of(problem.system), 6, seed), 1);
    const auto x = test::gaussian_vector(40, seed);
    const std::vector<ClientId> some{ClientId{0}, ClientId{2}, ClientId{5}};
    LocalTask task{RoundIndex{0}, x, ValidSteps{FixedSteps{7}}};
    task.reveal = Reveal::Sums;

    const auto round = engine.local_updates(task, some);

    ASSERT_EQ(round.replies.size(), 1);
    EXPECT_EQ(round.answered, some);
    const auto& sum = round.replies[0];
    EXPECT_NEAR(*sum.gap, dot(sum.values, problem.solution) - dot(sum.values, x),
                1e-12 * std::sqrt(squared_norm(sum.values)) * distance(x, problem.solution));
  }
}

// ---- Runs.

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
        ways.push_back({reveal, memory, participants, UntilProjected{}});
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
    for (const std::size_t participants : {6U, 4U}) {
      for (const StepBudget& budget : std::vector<StepBudget>{FixedSteps{60}, UntilProjected{}}) {
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
      EXPECT_FALSE(method.contradicted());
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

    const auto result = solve(engine, {.seed = seed, .rounds = 500, .local_budget = UntilProjected{}},
                              {.reveal = Reveal::Updates, .memory = HyperplaneMemory::kAll});

    EXPECT_EQ(result.termination, Termination::Converged);
    EXPECT_TRUE(result.notes.empty()) << "seed " << seed;
    EXPECT_LT(test::relative_distance(result.x, problem.solution), 1e-11) << "seed " << seed;
  }
}

// At the start some clients may have nothing to object: here half of them hold equations <a, x> = 0. Their residual of
// zero must not pass for everyone's.
TEST(HyperplaneMethod, GoesOnWhereSomeClientsAreContentWithTheStart) {
  for (const Reveal reveal : {Reveal::Sums, Reveal::Updates}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      auto problem = generate({.rows = 30, .cols = 60, .seed = seed});
      for (std::size_t i = 0; i < 15; ++i) problem.system.rhs[i] = 0.0;
      const auto truth = test::least_squares(problem.system);
      InProcessEngine engine(test::clients_of(std::move(problem.system), 6, seed), 1);

      const auto result = solve(
          engine,
          {.seed = seed, .rounds = 2000, .participants = 1, .local_budget = UntilProjected{}, .residual_every = 1},
          {.reveal = reveal, .memory = 5});

      EXPECT_LT(test::relative_distance(result.x, truth), 1e-8) << "seed " << seed << ", " << result.history.size();
      EXPECT_TRUE(result.notes.empty());
    }
  }
}

// Clients may measure in different units. What one reports as its residual then is a million times what another does.
TEST(HyperplaneMethod, IsNotMisledByClientsOfDifferentScale) {
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
          {.seed = seed, .rounds = 2000, .participants = 1, .local_budget = UntilProjected{}, .residual_every = 1},
          {.reveal = reveal, .memory = 5});

      EXPECT_LT(test::relative_distance(result.x, problem.solution), 1e-8) << "seed " << seed;
      EXPECT_TRUE(result.notes.empty()) << "seed " << seed;
    }
  }
}

// ---- Equations that contradict each other.

// Around the least-squares solution the mean of the displacements hovers within its length or so; without the verdict
// the run would go anywhere. A hundred rounds are enough for the verdict and the way back.
TEST(HyperplaneMethod, RecognisesEquationsThatContradictEachOtherAndStaysInReach) {
  for (const Reveal reveal : {Reveal::Sums, Reveal::Updates}) {
    for (const std::size_t memory : {std::size_t{5}, HyperplaneMemory::kAll}) {
      for (const std::size_t participants : {0U, 2U}) {
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
          auto problem = generate({.kind = ProblemKind::Inconsistent, .rows = 120, .cols = 30, .seed = seed});
          const auto truth = test::least_squares(problem.system);
          InProcessEngine engine(test::clients_of(std::move(problem.system), 6, seed), 1);
          const RunOptions options{
              .seed = seed, .rounds = 400, .participants = participants, .local_budget = FixedSteps{100}};
          HyperplaneMethod method({.local_budget = FixedSteps{100}, .reveal = reveal, .memory = memory, .seed = seed},
                                  6);
          struct Farthest final : RoundObserver {
            double length = 0.0;
            void on_round(const RoundRecord& record, std::span<const double> x) override {
              if (record.round.value >= 100) length = std::max(length, std::sqrt(squared_norm(x)));
            }
          } farthest;
          RoundObserver* const observers[] = {&farthest};

          const auto result = FederatedRun(options).run(engine, method, {}, observers);

          EXPECT_TRUE(method.contradicted()) << participants << " of 6, seed " << seed;
          ASSERT_EQ(result.notes.size(), 1);
          EXPECT_NE(result.notes[0].find("contradict each other"), std::string::npos);
          EXPECT_NE(result.termination, Termination::Diverged);
          EXPECT_LT(test::relative_distance(result.x, truth), 3.0) << participants << " of 6, seed " << seed;
          EXPECT_LT(farthest.length, 5.0 * std::sqrt(squared_norm(truth))) << participants << " of 6, seed " << seed;
        }
      }
    }
  }
}

// Slow is not contradictory: a small memory at a large condition number moves little in each round.
TEST(HyperplaneMethod, DoesNotTakeSlowProgressForAContradiction) {
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
TEST(HyperplaneMethod, FindsALargeEntryOfASmallColumn) {
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
TEST(HyperplaneMethod, MindsNoClientsOfDifferentSize) {
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

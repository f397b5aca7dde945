// SPDX-License-Identifier: Apache-2.0
#include "fedrk/methods/ridge.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "fedrk/federated/federated_run.hpp"
#include "fedrk/methods/hyperplane_memory.hpp"
#include "support/direct_solver.hpp"
#include "support/scripted_engine.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

RunResult solve(Engine& engine, const RunOptions& options, SlackOptions slack, std::vector<double> start = {}) {
  slack.local_budget = options.local_budget;
  Ridge method(slack, engine.roster());
  return FederatedRun(options).run(engine, method, std::move(start));
}

struct Way {
  Reveal reveal;
  std::size_t memory;
  StepBudget budget;
};

std::vector<Way> ways() {
  std::vector<Way> ways;
  for (const Reveal reveal : {Reveal::Sums, Reveal::Updates}) {
    for (const std::size_t memory : {std::size_t{0}, std::size_t{5}, HyperplaneMemory::kAll}) {
      ways.push_back({reveal, memory, FixedSteps{100}});
      ways.push_back({reveal, memory, UntilProjected{}});
    }
  }
  return ways;
}

std::string told(const Way& way) {
  return (way.reveal == Reveal::Sums ? "sums" : "updates") + std::string(", memory ") +
         (way.memory == HyperplaneMemory::kAll ? "all" : std::to_string(way.memory)) +
         (way.budget.index() == 0 ? ", steps" : ", exact");
}

GeneratorOptions noise(std::uint64_t seed) {
  return {.kind = ProblemKind::Inconsistent, .rows = 60, .cols = 20, .seed = seed};
}

// Rates differ, the limit does not. Where the run knows itself that it has arrived, its equations lack 1e-14 of ||b||;
// 1e-10 leaves room for the condition number of the extended system, below ten.
TEST(Ridge, TendsToTheRidgeSolutionAroundTheStart) {
  for (const Way& way : ways()) {
    for (const double lambda : {2.0, 200.0}) {
      for (std::uint64_t seed = 1; seed <= 2; ++seed) {
        auto problem = generate(noise(seed));
        const auto start = test::gaussian_vector(20, seed);
        const auto truth = test::ridge_solution(problem.system, lambda, start);
        InProcessEngine engine(test::clients_of(std::move(problem.system), 6, seed), 1);

        const auto result = solve(engine, {.seed = seed, .rounds = 1500, .local_budget = way.budget},
                                  {.lambda = lambda, .reveal = way.reveal, .memory = way.memory}, start);

        EXPECT_LT(test::relative_distance(result.x, truth), 1e-10) << told(way) << ", lambda " << lambda;
      }
    }
  }
}

TEST(Ridge, KnowsWhenItHasArrived) {
  for (const Way& way : ways()) {
    if (way.memory == 0) continue;  // slow
    auto problem = generate(noise(3));
    InProcessEngine engine(test::clients_of(std::move(problem.system), 6, 3), 1);
    const auto result = solve(engine, {.seed = 3, .rounds = 1500, .participants = 3, .local_budget = way.budget},
                              {.lambda = 20.0, .reveal = way.reveal, .memory = way.memory});
    EXPECT_EQ(result.termination, Termination::Converged) << told(way);
  }
}

TEST(Ridge, TendsToTheRidgeSolutionWhoeverTakesPart) {
  for (const Way& way : ways()) {
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      auto problem = generate(noise(seed));
      const auto truth = test::ridge_solution(problem.system, 20.0, std::vector<double>(20, 0.0));
      InProcessEngine engine(test::clients_of(std::move(problem.system), 6, seed), 1);

      const auto result = solve(engine, {.seed = seed, .rounds = 3000, .participants = 2, .local_budget = way.budget},
                                {.lambda = 20.0, .reveal = way.reveal, .memory = way.memory});

      EXPECT_LT(test::relative_distance(result.x, truth), 1e-10) << told(way) << ", seed " << seed;
    }
  }
}

// A client has worked, its answer is lost, and it cannot know. Its slack must remain what the server takes it for.
TEST(Ridge, TendsToTheRidgeSolutionWhereAnswersGetLost) {
  for (const Way& way : ways()) {
    for (const std::size_t participants : {0U, 3U}) {
      for (std::uint64_t seed = 1; seed <= 2; ++seed) {
        auto problem = generate(noise(seed));
        const auto truth = test::ridge_solution(problem.system, 20.0, std::vector<double>(20, 0.0));
        InProcessEngine inner(test::clients_of(std::move(problem.system), 6, seed), 1);
        test::LossyEngine engine(inner, [&](RoundIndex t, ClientId client) {
          return RngStream(seed, Purpose::GeneratedNoise, RoundIndex{8 * t.value + client.value}).uniform() < 0.3;
        });

        const auto result =
            solve(engine, {.seed = seed, .rounds = 2500, .participants = participants, .local_budget = way.budget},
                  {.lambda = 20.0, .reveal = way.reveal, .memory = way.memory});

        EXPECT_LT(test::relative_distance(result.x, truth), 1e-10)
            << told(way) << ", " << participants << " of 6, seed " << seed;
      }
    }
  }
}

TEST(Ridge, TendsToTheRidgeSolutionWhereSingleAnswersAreDropped) {
  for (const std::size_t memory : {std::size_t{0}, std::size_t{5}, HyperplaneMemory::kAll}) {
    auto problem = generate(noise(4));
    const auto truth = test::ridge_solution(problem.system, 20.0, std::vector<double>(20, 0.0));
    InProcessEngine inner(test::clients_of(std::move(problem.system), 6, 4), 1);
    test::ScriptedEngine engine(inner, [](const LocalTask& task, RoundReplies& round) {
      test::drop(round, ClientId{task.round.value % 7}, "gone");
      test::drop(round, ClientId{task.round.value / 2 % 6}, "gone");
    });

    const auto result = solve(engine, {.seed = 4, .rounds = 2500, .local_budget = UntilProjected{}},
                              {.lambda = 20.0, .reveal = Reveal::Updates, .memory = memory});

    EXPECT_LT(test::relative_distance(result.x, truth), 1e-10) << "memory " << memory;
  }
}

// Where nobody answers nothing is learnt, and nothing lost.
TEST(Ridge, BridgesRoundsInWhichNobodyAnswers) {
  for (const Reveal reveal : {Reveal::Sums, Reveal::Updates}) {
    auto problem = generate(noise(5));
    const auto truth = test::ridge_solution(problem.system, 20.0, std::vector<double>(20, 0.0));
    InProcessEngine inner(test::clients_of(std::move(problem.system), 6, 5), 1);
    test::ScriptedEngine engine(inner, [](const LocalTask& task, RoundReplies& round) {
      if (task.round.value % 3 != 1) return;
      round.replies.clear();
      round.answered.clear();
    });

    const auto result = solve(engine, {.seed = 5, .rounds = 1000, .local_budget = UntilProjected{}},
                              {.lambda = 20.0, .reveal = reveal, .memory = 5});

    EXPECT_LT(test::relative_distance(result.x, truth), 1e-10);
  }
}

TEST(Ridge, HasTheSameLimitInBothFormsForAllOrdersAndForSparseRows) {
  for (const double density : {1.0, 0.3}) {
    for (const LocalForm form : {LocalForm::Direct, LocalForm::Gram}) {
      for (const RowSampling sampling :
           {RowSampling::SquaredNorm, RowSampling::Uniform, RowSampling::Shuffled, RowSampling::Greedy}) {
        if (sampling == RowSampling::Greedy && form == LocalForm::Direct) continue;
        for (const StepBudget& budget : std::vector<StepBudget>{FixedSteps{7}, FixedSteps{80}, UntilProjected{}}) {
          auto options = noise(6);
          options.density = density;
          auto problem = generate(options);
          const auto truth = test::ridge_solution(problem.system, 20.0, std::vector<double>(20, 0.0));
          InProcessEngine engine(
              test::clients_of(std::move(problem.system), 6, 6, {.sampling = sampling, .form = form}), 1);

          const auto result = solve(engine, {.seed = 6, .rounds = 1500, .local_budget = budget},
                                    {.lambda = 20.0, .reveal = Reveal::Sums, .memory = 5});

          EXPECT_LT(test::relative_distance(result.x, truth), 1e-10)
              << "density " << density << ", form " << static_cast<int>(form) << ", order "
              << static_cast<int>(sampling) << ", budget " << budget.index();
        }
      }
    }
  }
}

TEST(Ridge, ForgetsByBytesAndStillArrives) {
  for (const Reveal reveal : {Reveal::Sums, Reveal::Updates}) {
    auto problem = generate(noise(7));
    const auto truth = test::ridge_solution(problem.system, 20.0, std::vector<double>(20, 0.0));
    InProcessEngine engine(test::clients_of(std::move(problem.system), 6, 7), 1);
    const auto result =
        solve(engine, {.seed = 7, .rounds = 2500, .participants = 4, .local_budget = UntilProjected{}},
              {.lambda = 20.0, .reveal = reveal, .memory = HyperplaneMemory::kAll, .memory_limit = 8 * 8 * 21});
    EXPECT_LT(test::relative_distance(result.x, truth), 1e-10);
  }
}

// One client, tau = infinity: the first round is the whole ridge problem.
TEST(Ridge, OfOneClientIsDoneInOneRound) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    auto problem = generate(noise(seed));
    const auto truth = test::ridge_solution(problem.system, 3.0, std::vector<double>(20, 0.0));
    InProcessEngine engine(test::clients_of(std::move(problem.system), 1, seed), 1);
    const auto result = solve(engine, {.seed = seed, .rounds = 1, .local_budget = UntilProjected{}}, {.lambda = 3.0});
    EXPECT_LT(test::relative_distance(result.x, truth), 1e-12);
  }
}

// By hand: one unknown, two clients with x = 1 and x = 4, lambda = 1: (1 + 4)/(2 + 1).
TEST(Ridge, OfTwoEquationsIsWhatTheFormulaSays) {
  for (const Reveal reveal : {Reveal::Sums, Reveal::Updates}) {
    InProcessEngine engine(test::clients_of({Matrix{{1.0}, {1.0}}, {1.0, 4.0}}, 2, 1), 1);
    const auto result =
        solve(engine, {.rounds = 500, .local_budget = FixedSteps{1}}, {.lambda = 1.0, .reveal = reveal});
    EXPECT_NEAR(result.x[0], 5.0 / 3.0, 1e-13);
  }
}

// There the rounding of A x is far above that of b.
TEST(Ridge, EndsAlsoFromAStartFarAway) {
  auto problem = generate({.kind = ProblemKind::Inconsistent, .rows = 60, .cols = 10, .seed = 3});
  InProcessEngine engine(test::clients_of(std::move(problem.system), 4, 3), 1);
  Ridge method({.lambda = 10.0, .local_budget = UntilProjected{}}, engine.roster());

  const auto result = FederatedRun({.rounds = 1000}).run(engine, method, std::vector<double>(10, 1e6));

  EXPECT_EQ(result.termination, Termination::Converged);
}

}  // namespace
}  // namespace fedrk

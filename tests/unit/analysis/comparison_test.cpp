// SPDX-License-Identifier: Apache-2.0
#include "analysis/comparison.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "analysis/step_search.hpp"
#include "methods/others/first_order.hpp"
#include "round/server_step.hpp"
#include "support/direct_solver.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

constexpr std::size_t kClients = 4, kRows = 120, kCols = 30;

struct Arena {
  explicit Arena(ProblemKind kind = ProblemKind::Gaussian,
                 RunOptions run = {.seed = 1, .rounds = 400, .participants = 2})
      : Arena(generate({.kind = kind, .rows = kRows, .cols = kCols, .nonzeros = 3, .seed = 1}), run) {}
  Arena(GeneratedProblem problem, RunOptions run)
      : shapes(kClients, {kRows / kClients, kRows / kClients * kCols}),
        options{run, 1e-6, test::least_squares(problem.system), {}},
        engine(test::clients_of(std::move(problem.system), kClients, 1)) {}

  Outcome run(const std::string& name) {
    const auto list = contenders(engine, {.run = options.run});
    return compete(*std::ranges::find(list, name, &Contender::name), engine, shapes, options);
  }

  std::vector<ClientShape> shapes;
  ComparisonOptions options;
  InProcessEngine engine;
};

TEST(Comparison, EveryMethodSolvesAnEasyConsistentSystem) {
  Arena arena;
  for (const Contender& contender : contenders(arena.engine, {.run = arena.options.run})) {
    const Outcome outcome = compete(contender, arena.engine, arena.shapes, arena.options);

    EXPECT_TRUE(outcome.reached) << outcome.label << ": error " << *outcome.error;
    EXPECT_LE(*outcome.error, 1e-6) << outcome.label;
    EXPECT_EQ(outcome.errors.size(), outcome.rounds);
    EXPECT_EQ(outcome.participants, contender.needs_everyone ? kClients : 2) << outcome.label;
  }
}

TEST(Comparison, CountsTheBytesOfAClientByHand) {
  Arena arena;
  const auto vectors = [](std::size_t rounds, double share) {
    return 8.0 * kCols * static_cast<double>(rounds) * share;
  };

  const Outcome fedrk = arena.run("fedrk"), scaffold = arena.run("scaffold"), cg = arena.run("cg"),
                gram = arena.run("gram"), qr = arena.run("qr");

  // Two of four take part, so a client is asked every second round.
  EXPECT_NEAR(fedrk.bytes_up, vectors(fedrk.rounds, 0.5), 1e-6);
  EXPECT_NEAR(fedrk.bytes_down, vectors(fedrk.rounds, 0.5), 1e-6);
  EXPECT_NEAR(scaffold.bytes_down, vectors(scaffold.rounds, 1.0), 1e-6);  // x and its own correction
  EXPECT_NEAR(cg.bytes_up, vectors(cg.rounds, 0.5) + 8.0, 1e-6);          // and the residual with the first gradient
  EXPECT_EQ(gram.bytes_up, 8.0 * (kCols + 1) * (kCols + 2) / 2);
  EXPECT_EQ(gram.bytes_down, 0.0);
  EXPECT_EQ(qr.bytes_up, 8.0 * (kRows / kClients * (kCols + 1) + 1));
}

TEST(Comparison, CountsTheScalarsThatTheExtensionsSend) {
  Arena arena;
  const auto numbers = [](std::size_t rounds, double each) { return 8.0 * each * static_cast<double>(rounds) * 0.5; };

  const Outcome sums = arena.run("sums"), memory = arena.run("memory"), valid = arena.run("valid");

  // A vector and the gap of its hyperplane; where rounds are remembered, the residual too.
  EXPECT_NEAR(sums.bytes_up, numbers(sums.rounds, kCols + 2), 1e-6);
  EXPECT_NEAR(memory.bytes_up, numbers(memory.rounds, kCols + 2), 1e-6);
  EXPECT_NEAR(valid.bytes_up, numbers(valid.rounds, kCols + 1), 1e-6);
  EXPECT_NEAR(sums.bytes_down, numbers(sums.rounds, kCols), 1e-6);
}

TEST(Comparison, CountsEveryClientsWorkWhereTheServerSeesOneSum) {
  Arena arena;

  const Outcome sums = arena.run("sums"), valid = arena.run("valid");

  const double steps = 20 * 4 * kCols, residual = 2.0 * kRows / kClients * kCols;
  EXPECT_NEAR(*sums.flops, 0.5 * static_cast<double>(sums.rounds) * (steps + residual), 1.0);
  EXPECT_NEAR(*valid.flops, 0.5 * static_cast<double>(valid.rounds) * steps, 1.0);
}

TEST(Comparison, CountsTheFactorisationBehindExactProjectionsOnce) {
  Arena arena(ProblemKind::Gaussian, {.seed = 1, .rounds = 3, .local_budget = ExactProjection{}});
  arena.options.target = 1e-300;

  const double rows = kRows / kClients, factorisation = 4.0 * rows * rows * kCols;
  EXPECT_NEAR(*arena.run("valid").flops, 3 * 4.0 * rows * kCols + factorisation, 1.0);
  EXPECT_EQ(*arena.run("valid").flops, *arena.run("fedrk").flops);
}

TEST(Comparison, CountsTheOperationsOfAClient) {
  Arena arena;

  const Outcome fedrk = arena.run("fedrk"), cg = arena.run("cg");

  EXPECT_NEAR(*fedrk.flops, 0.5 * static_cast<double>(fedrk.rounds) * 20 * 4 * kCols, 1.0);
  EXPECT_NEAR(*cg.flops, 0.5 * static_cast<double>(cg.rounds) * 4 * kRows / kClients * kCols, 1.0);
}

TEST(Comparison, SaysWhenTheTargetWasNotReached) {
  Arena arena(ProblemKind::Inconsistent, {.seed = 1, .rounds = 100});

  const Outcome fedrk = arena.run("fedrk"), cg = arena.run("cg");

  EXPECT_FALSE(fedrk.reached);
  EXPECT_EQ(fedrk.rounds, 100);
  EXPECT_GT(*fedrk.error, 0.1);  // the horizon
  EXPECT_TRUE(cg.reached);
}

TEST(Comparison, SumsWithMemoryTakeFewerRoundsThanFedrk) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Arena arena(ProblemKind::Gaussian,
                {.seed = seed, .rounds = 400, .participants = 2, .local_budget = FixedSteps{200}});

    EXPECT_LT(arena.run("sums").rounds, arena.run("fedrk").rounds) << seed;
    // 30 unknowns, two hyperplanes a round: then there is nothing left to learn.
    EXPECT_LE(arena.run("full-memory").rounds, 15U) << seed;
  }
}

TEST(Comparison, ConjugateGradientsFitWhatContradictsItselfAndTheAutomaticChoiceSaysSo) {
  Arena arena(ProblemKind::Inconsistent, {.seed = 1, .rounds = 1000, .local_budget = FixedSteps{240}});

  const Outcome chosen = arena.run("auto"), tail = arena.run("tail"), cg = arena.run("cg"), gram = arena.run("gram");

  EXPECT_TRUE(cg.reached) << *cg.error;
  EXPECT_TRUE(gram.reached) << *gram.error;
  EXPECT_FALSE(tail.reached);
  EXPECT_FALSE(chosen.reached);
  ASSERT_FALSE(chosen.remarks.empty());
  EXPECT_NE(chosen.remarks[0].find("contradict each other"), std::string::npos) << chosen.remarks[0];
}

TEST(Comparison, TheMeanOfThePublishedIteratesIsCloserThanTheLastOfThem) {
  Arena arena(ProblemKind::Inconsistent, {.seed = 1, .rounds = 600});

  EXPECT_LT(*arena.run("tail").error, 0.5 * *arena.run("fedrk").error);
}

TEST(Comparison, SaysWhatTheServerGetsToSee) {
  Arena arena(ProblemKind::Gaussian, {.seed = 1, .rounds = 5});
  const auto list = contenders(arena.engine, {.run = arena.options.run});

  for (const Contender& contender : list) {
    // The engine that the method is run through hears what it reveals.
    const Request request = contender.make(arena.engine).method->request(RoundIndex{0}, arena.options.reference);
    EXPECT_EQ(contender.server_sees.starts_with("one sum"), request.reveal == Reveal::Sums) << contender.name;
  }
}

TEST(Comparison, OffersWhatFitsTheProblem) {
  Arena arena;
  const auto has = [&](const RunOptions& run, const char* name) {
    const auto list = contenders(arena.engine, {.run = run});
    return std::ranges::find(list, name, &Contender::name) != list.end();
  };

  EXPECT_TRUE(has({}, "auto"));
  EXPECT_FALSE(has({}, "soft"));
  EXPECT_TRUE(has({.sparsity = 3}, "soft"));
  EXPECT_FALSE(has({.local_budget = ExactProjection{}, .sparsity = 3}, "soft"));
  EXPECT_FALSE(has({.sparsity = 3}, "auto"));  // that would be FedRK
  EXPECT_TRUE(has({}, "full-memory"));
  // 12,000 unknowns and 12,000 equations make 1.15 GB.
  LinearSystem wide{SparseMatrix(12000, 12000, {{0, 0, 1.0}, {11999, 11999, 1.0}}), std::vector<double>(12000, 0.0)};
  InProcessEngine engine(test::clients_of(std::move(wide), 2, 1));
  const auto list = contenders(engine, {.run = {.rounds = 100000}});
  EXPECT_EQ(std::ranges::find(list, "full-memory", &Contender::name), list.end());
}

TEST(Comparison, WithoutReferenceGoesByTheResidual) {
  Arena arena;
  arena.options.reference.clear();

  for (const char* name : {"fedrk", "cg", "gram"}) {
    const Outcome outcome = arena.run(name);

    EXPECT_TRUE(outcome.reached) << name;
    EXPECT_FALSE(outcome.error) << name;
    EXPECT_LE(*outcome.residual, 1e-6) << name;
    const double lowest = std::string(name) == "gram" ? 0.0 : 1e-8;  // no round more than needed
    EXPECT_GT(*outcome.residual, lowest) << name;
  }
}

TEST(Comparison, JudgesEveryMethodByItsLargestEntriesWhereFewAreAsked) {
  auto problem =
      generate({.kind = ProblemKind::Sparse, .rows = kRows, .cols = kCols, .nonzeros = 3, .noise = 0.1, .seed = 1});
  const auto truth = problem.solution;
  std::vector<double> kept = test::least_squares(problem.system);
  Threshold(3).apply(kept);
  Arena arena(std::move(problem), {.seed = 1, .rounds = 50, .sparsity = 3});
  arena.options.reference = truth;

  const Outcome qr = arena.run("qr");

  EXPECT_NEAR(*qr.error, test::relative_distance(kept, truth), 1e-10);
  EXPECT_EQ(qr.support.size(), 3U);
}

TEST(Comparison, SaysWhenAMethodDiverges) {
  Arena arena;
  Contender contender{"wild", "wild", "", "", false, [](Engine& engine) {
                        return ReadyMethod{std::make_unique<GradientDescent>(engine.roster().size(), 10.0), ""};
                      }};

  const Outcome outcome = compete(contender, arena.engine, arena.shapes, arena.options);

  EXPECT_TRUE(outcome.diverged);
  EXPECT_FALSE(outcome.reached);
  EXPECT_FALSE(arena.run("fedrk").diverged);
}

TEST(Comparison, ListsWhatAMethodHoldsInMemory) {
  Arena arena;
  const auto list = contenders(arena.engine, {.run = arena.options.run});
  const auto memory = [&](const char* name) { return std::ranges::find(list, name, &Contender::name)->memory; };

  EXPECT_EQ(memory("fedrk"), 0.0);
  EXPECT_EQ(memory("gram"), 8.0 * (5.0 * kCols * (kCols + 3) / 2 + 3.0 * kCols * kCols));
  EXPECT_EQ(memory("qr"), 8.0 * 3 * kRows * kCols);
}

TEST(Comparison, FindsTheSupportWhereOneIsAsked) {
  Arena arena(ProblemKind::Sparse, {.seed = 1, .rounds = 300, .sparsity = 3});
  const auto problem = generate({.kind = ProblemKind::Sparse, .rows = kRows, .cols = kCols, .nonzeros = 3, .seed = 1});
  std::vector<std::size_t> truth;
  for (std::size_t j = 0; j < kCols; ++j) {
    if (problem.solution[j] != 0.0) truth.push_back(j);
  }

  for (const char* name : {"fedrk", "iht", "lasso", "cg", "soft", "sums", "valid", "tail"})
    EXPECT_EQ(arena.run(name).support, truth) << name;
}

TEST(Comparison, PutsThoseThatArrivedFirstAndSortsEachGroup) {
  const auto outcome = [](std::string name, bool reached, std::size_t rounds, double up) {
    Outcome o;
    o.name = std::move(name);
    o.reached = reached;
    o.rounds = rounds;
    o.bytes_up = up;
    return o;
  };
  std::vector<Outcome> outcomes{outcome("d", false, 1, 0.5), outcome("a", false, 1, 1.0), outcome("b", true, 9, 2.0),
                                outcome("c", true, 5, 3.0)};
  outcomes[0].error = 0.5;
  outcomes[1].error = 0.1;
  const auto names = [&] {
    std::string text;
    for (const Outcome& o : outcomes) text += o.name;
    return text;
  };

  sort_outcomes(outcomes, SortBy::Rounds);
  EXPECT_EQ(names(), "cbad");
  sort_outcomes(outcomes, SortBy::BytesUp);
  EXPECT_EQ(names(), "bcad");
}

TEST(StepSearch, FindsTheBestStepFromEitherSide) {
  // x = 3 by gradient steps on (2 x - 6)^2 / 2, curvature 4: step 1/4 arrives at once.
  LinearSystem system{Matrix{{2.0}}, {6.0}};
  InProcessEngine engine(test::clients_of(std::move(system), 1, 1));
  const auto method = [](double step) { return std::make_unique<GradientDescent>(1, step); };

  EXPECT_EQ(curvatures(engine), std::vector{4.0});
  EXPECT_EQ(search_step(engine, {.rounds = 3}, 1.0 / 64, method).step, 0.25);
  EXPECT_EQ(search_step(engine, {.rounds = 3}, 8.0, method).step, 0.25);
  EXPECT_EQ(search_step(engine, {.rounds = 300}, 0x1.0p20, method).step, 0.25);  // from where x leaves all numbers
}

TEST(EqualGradientSteps, CostAsMuchAsTheKaczmarzSteps) {
  Arena arena;

  const auto count_and_batch = [&](const StepBudget& budget) {
    const GradientSteps steps = equal_gradient_steps(arena.engine, budget);
    return std::pair(steps.count, steps.batch);
  };

  EXPECT_EQ(count_and_batch(FixedSteps{300}), std::pair(std::uint64_t{10}, std::uint64_t{0}));  // 30 rows a client
  EXPECT_EQ(count_and_batch(FixedSteps{7}), std::pair(std::uint64_t{1}, std::uint64_t{7}));
  EXPECT_EQ(count_and_batch(ExactProjection{}), std::pair(std::uint64_t{50}, std::uint64_t{0}));
}

}  // namespace
}  // namespace fedrk

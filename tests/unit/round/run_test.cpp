// SPDX-License-Identifier: Apache-2.0
#include "fedrk/run.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "analysis/observers.hpp"
#include "fedrk/error.hpp"
#include "round/run_aborted.hpp"
#include "support/scripted_engine.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

InProcessEngine engine_for(const LinearSystem& system, std::size_t clients, std::uint64_t seed = 1) {
  return InProcessEngine(test::clients_of(copy_of(system), clients, seed), 1);
}

TEST(FederatedRun, SolvesAConsistentSystem) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto problem = generate({.rows = 80, .cols = 20, .seed = seed});
    auto engine = engine_for(problem.system, 8, seed);

    const auto result = FederatedRun({.seed = seed, .rounds = 2000, .participants = 3, .tolerance = 1e-10}).run(engine);

    EXPECT_EQ(result.termination, Termination::Tolerance);
    EXPECT_LE(*result.relative_residual, 1e-10);
    EXPECT_LT(test::relative_distance(result.x, problem.solution), 1e-9);
  }
}

TEST(FederatedRun, StopsAtTheToleranceOnlyWhenEveryClientIsWithinIt) {
  // Client 1 is solved from the start, client 2 far from it: whoever asks client 1 alone is misled.
  const LinearSystem system{Matrix{{1.0, 0.0}, {0.0, 1.0}}, {1e-30, 1.0}};
  auto engine = engine_for(system, 2);

  const auto result = FederatedRun({.rounds = 50, .participants = 1, .tolerance = 1e-6}).run(engine);

  EXPECT_EQ(result.termination, Termination::Tolerance);
  EXPECT_NEAR(result.x[1], 1.0, 1e-6);
}

TEST(FederatedRun, ReportsTheRelativeResidualByItsDefinition) {
  const auto problem = generate({.kind = ProblemKind::Inconsistent, .rows = 60, .cols = 10, .seed = 2});
  auto engine = engine_for(problem.system, 4);

  const auto result = FederatedRun({.rounds = 5}).run(engine);

  const double expected = std::sqrt(squared_residual(problem.system, result.x) / squared_norm(problem.system.rhs));
  EXPECT_NEAR(*result.relative_residual, expected, 1e-13);
  EXPECT_DOUBLE_EQ(*result.history[0].relative_residual, 1.0);  // at x = 0 the residual is b
}

TEST(FederatedRun, TellsAStagnantRunFromOneThatFinishes) {
  const auto problem = generate({.kind = ProblemKind::Inconsistent, .rows = 100, .cols = 10, .seed = 2});
  auto engine = engine_for(problem.system, 5);

  const auto stagnant = FederatedRun({.rounds = 5000, .tolerance = 1e-6, .patience = 50}).run(engine);
  const auto limited = FederatedRun({.rounds = 70, .tolerance = 1e-6, .patience = 50}).run(engine);

  EXPECT_EQ(stagnant.termination, Termination::Stagnation);
  EXPECT_LT(stagnant.history.size(), 1000);
  EXPECT_EQ(limited.termination, Termination::RoundLimit);
  EXPECT_EQ(limited.history.size(), 70);
}

TEST(FederatedRun, KeepsTheSparsityAskedForAndLeavesNoiseColumnsOutOfIt) {
  auto problem = generate({.rows = 40, .cols = 12, .seed = 3});
  add_intercept(problem.system);  // any further column will do
  auto engine = engine_for(problem.system, 4);

  const auto result = FederatedRun({.rounds = 20, .sparsity = 3, .noise_columns = 2}).run(engine);

  EXPECT_EQ(result.x.size(), 11);
  EXPECT_EQ(std::ranges::count_if(result.x, [](double v) { return v != 0.0; }), 3);
}

TEST(FederatedRun, GoesOnWithoutAnAbsentClientAndSaysSo) {
  const auto problem = generate({.rows = 60, .cols = 10, .seed = 4});
  auto inner = engine_for(problem.system, 6);
  test::ScriptedEngine engine(inner, [](const LocalTask& task, RoundReplies& round) {
    if (task.round.value % 3 == 0) test::drop(round, ClientId{2}, "late");
  });

  const auto result = FederatedRun({.rounds = 300}).run(engine);

  ASSERT_EQ(result.history[3].absences.size(), 1);
  EXPECT_EQ(result.history[3].absences[0].reason, "late");
  EXPECT_EQ(result.history[3].participants.size(), 5);
  EXPECT_EQ(result.history[4].participants.size(), 6);
  EXPECT_LT(test::relative_distance(result.x, problem.solution), 1e-6);
}

TEST(FederatedRun, DoesNotMindRepliesThatAreRepeatedReorderedOrUncalledFor) {
  const auto problem = generate({.rows = 60, .cols = 10, .seed = 4});
  auto honest = engine_for(problem.system, 6), inner = engine_for(problem.system, 6);
  test::ScriptedEngine engine(inner, [](const LocalTask&, RoundReplies& round) {
    std::ranges::reverse(round.replies);
    round.replies.push_back(round.replies.front());
    round.replies.push_back({ClientId{77}, AlignedVector(10, 1.0), 1.0});
  });

  const RunOptions options{.rounds = 50, .participants = 3};
  const auto expected = FederatedRun(options).run(honest), found = FederatedRun(options).run(engine);

  EXPECT_EQ(found.x, expected.x);
  EXPECT_EQ(found.relative_residual, expected.relative_residual);
}

TEST(FederatedRun, GivesNoResidualForAllWhereOneIsMissing) {
  const auto problem = generate({.rows = 60, .cols = 10, .seed = 4});
  auto inner = engine_for(problem.system, 3);
  test::ScriptedEngine engine(inner,
                              [](const LocalTask&, RoundReplies& round) { test::drop(round, ClientId{1}, "gone"); });

  EXPECT_FALSE(FederatedRun({.rounds = 5}).run(engine).relative_residual);
}

TEST(FederatedRun, StaysAtItsStartWhereNobodyHasRows) {
  std::vector<Client> clients;
  clients.emplace_back(ClientId{0}, "empty", RowBlock({Matrix(0, 2), {}}), 1);
  InProcessEngine engine(std::move(clients), 1);

  const auto result = FederatedRun({.rounds = 3, .tolerance = 1e-6}).run(engine, {1.0, 2.0});

  EXPECT_EQ(result.x, (std::vector{1.0, 2.0}));
  EXPECT_FALSE(result.relative_residual);
}

TEST(FederatedRun, CountsARoundInWhichNobodyAnswers) {
  const LinearSystem system{Matrix{{1.0}}, {2.0}};
  auto inner = engine_for(system, 1);
  test::ScriptedEngine engine(inner,
                              [](const LocalTask&, RoundReplies& round) { test::drop(round, ClientId{0}, "gone"); });

  const auto result = FederatedRun({.rounds = 3}).run(engine);

  EXPECT_EQ(result.history.size(), 3);
  EXPECT_EQ(result.x[0], 0.0);
  EXPECT_EQ(result.relative_residual, 1.0);  // at zero nobody has to be asked
  EXPECT_EQ(result.converged, false);
}

TEST(FederatedRun, KeepsTheLastUsableXWhenNumbersRunOut) {
  const LinearSystem system{Matrix{{1.0, 0.0}, {0.0, 1.0}}, {1.0, 1.0}};
  auto inner = engine_for(system, 2);
  test::ScriptedEngine engine(inner, [](const LocalTask& task, RoundReplies& round) {
    // Each passes as a reply, as its square is finite; together they move x further than can be squared.
    if (task.round.value == 0) round.replies = {{ClientId{0}, {1.2e154, 0.0}, 1.0}, {ClientId{1}, {0.0, 1.2e154}, 1.0}};
  });

  const auto result = FederatedRun({.rounds = 5}).run(engine, std::vector{1.0, 2.0});

  EXPECT_EQ(result.termination, Termination::Diverged);
  EXPECT_EQ(result.x, (std::vector{1.0, 2.0}));
}

// A reply far from x in size once ended a run, by a product that nobody needs.
TEST(FederatedRun, TakesRepliesOfAnotherSizeThanX) {
  auto inner = engine_for({Matrix{{1.0, 0.0}, {0.0, 1.0}}, {1.0, 1.0}}, 2);
  test::ScriptedEngine engine(inner, [](const LocalTask&, RoundReplies& round) {
    round.replies = {{ClientId{0}, {1e153, 1e153}, 1.0}};
  });

  const auto result = FederatedRun({.rounds = 1, .residual_every = RunOptions::kNever}).run(engine, {1e200, 1e200});

  EXPECT_EQ(result.termination, Termination::RoundLimit);
  EXPECT_EQ(result.x, (std::vector{1e200 + 1e153, 1e200 + 1e153}));
}

TEST(FederatedRun, StopsAfterTheRoundInWhichItIsAsked) {
  const auto problem = generate({.rows = 60, .cols = 10});
  auto engine = engine_for(problem.system, 3);
  StopSignal stop;
  struct StopAtTen final : RoundObserver {
    StopSignal& stop;
    explicit StopAtTen(StopSignal& s) : stop(s) {}
    void on_round(const RoundRecord& record, std::span<const double>) override {
      if (record.round.value == 9) stop.request();
    }
  } observer{stop};
  RoundObserver* const observers[] = {&observer};

  const auto result = FederatedRun({.rounds = 1000}).run(engine, {}, observers, &stop);

  EXPECT_EQ(result.termination, Termination::Interrupted);
  EXPECT_EQ(result.history.size(), 10);
}

/// Residuals and nothing else.
bool is_look(const LocalTask& task) {
  const auto* steps = std::get_if<FixedSteps>(&task.work);
  return steps != nullptr && steps->count == 0;
}

// Ends the run where the engine is asked for the work of round 3, or for the residuals alone.
struct Ending {
  const char* where;
  Termination why;
  bool at_a_look;
};

TEST(FederatedRun, EndsWithWhatItHasWhereTheEngineGivesUp) {
  const auto problem = generate({.rows = 60, .cols = 10});
  auto inner = engine_for(problem.system, 3);
  // Of the x after the third round nobody told the residual.
  const auto undisturbed = FederatedRun({.rounds = 2, .tolerance = 1e-12, .residual_every = 1}).run(inner);
  for (const Ending& ending :
       {Ending{"in a round", Termination::Interrupted, false}, Ending{"in a round", Termination::Deadline, false},
        Ending{"at the last look", Termination::ClientsLost, true}}) {
    bool over = false;
    test::ScriptedEngine engine(inner, [&](const LocalTask& task, RoundReplies&) {
      EXPECT_FALSE(over) << "asked again after it gave up";
      if (ending.at_a_look ? !is_look(task) : task.round.value < 3) return;
      over = true;
      throw RunAborted(ending.why, "gone");
    });
    ErrorToTruth error(problem.solution);
    RoundObserver* const observers[] = {&error};

    const RunOptions options{.rounds = ending.at_a_look ? 3U : 1000U, .tolerance = 1e-12, .residual_every = 1};
    const auto result = FederatedRun(options).run(engine, {}, observers);

    EXPECT_EQ(result.termination, ending.why) << ending.where;
    EXPECT_EQ(result.x, undisturbed.x);
    EXPECT_EQ(result.history.size(), 3);
    EXPECT_EQ(error.errors().size(), 3);
    EXPECT_NEAR(*result.relative_residual, *undisturbed.relative_residual, 1e-15);
    EXPECT_EQ(result.converged, false);
    EXPECT_EQ(result.notes, std::vector<std::string>{"gone"});
  }
}

// The look at everyone comes before observers see the round: they see it all the same.
TEST(FederatedRun, ShowsTheRoundAfterWhichALookWasBrokenOff) {
  const LinearSystem system{Matrix{{1.0, 0.0}, {0.0, 1.0}}, {1.0, 1.0}};
  auto inner = engine_for(system, 2);
  test::ScriptedEngine engine(inner, [](const LocalTask& task, RoundReplies&) {
    if (is_look(task)) throw RunAborted(Termination::Interrupted);
  });
  ErrorToTruth error({1.0, 1.0});
  RoundObserver* const observers[] = {&error};

  const auto result = FederatedRun({.rounds = 50, .tolerance = 1e-6, .residual_every = 1}).run(engine, {}, observers);

  EXPECT_EQ(result.termination, Termination::Interrupted);
  EXPECT_LT(result.history.size(), 50);
  EXPECT_EQ(error.errors().size(), result.history.size());
  EXPECT_TRUE(result.notes.empty());
}

// On noise FedRK's iterates are worse than zero: what comes back is not.
TEST(FederatedRun, NeverReturnsAnXThatIsWorseThanItsStart) {
  for (const bool from_zero : {true, false}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const auto problem = generate({.kind = ProblemKind::Inconsistent, .rows = 60, .cols = 20, .seed = seed});
      auto engine = engine_for(problem.system, 10, seed);
      std::vector<double> start = from_zero ? std::vector<double>(20, 0.0) : test::gaussian_vector(20, seed);
      for (double& entry : start) entry *= 0.01;
      const double before = squared_residual(problem.system, start);

      const auto result =
          FederatedRun(
              {.seed = seed, .rounds = 4, .participants = 3, .local_budget = FixedSteps{100}, .tolerance = 1e-8})
              .run(engine, start);

      EXPECT_LE(squared_residual(problem.system, result.x), before * (1.0 + 1e-12)) << "seed " << seed;
      EXPECT_EQ(result.converged, false);
      EXPECT_EQ(result.termination, Termination::RoundLimit);
    }
  }
}

TEST(FederatedRun, CountsTheBytesThatWouldTravel) {
  const auto problem = generate({.rows = 40, .cols = 10});
  auto engine = engine_for(problem.system, 4);

  const auto result = FederatedRun({.rounds = 2, .participants = 3, .residual_every = 1}).run(engine);

  EXPECT_EQ(result.history[0].bytes_down, 3 * 80);
  EXPECT_EQ(result.history[0].bytes_up, 3 * (80 + 8));
  EXPECT_EQ(result.bytes_down, 2 * 3 * 80 + 4 * 80);  // with the last look at everyone's residual
  EXPECT_EQ(result.bytes_up, 2 * 3 * 88 + 4 * 8);
}

TEST(FederatedRun, AsksForResidualsSoThatTheyCostLittle) {
  const std::vector<ClientSummary> roster{{ClientId{0}, "a", 128, 1.0}, {ClientId{1}, "b", 14, 1.0}};

  EXPECT_EQ(residual_interval(roster, {.local_budget = FixedSteps{1000}}), 1);
  EXPECT_EQ(residual_interval(roster, {.local_budget = FixedSteps{20}}), 13);  // 128 products, a quarter of 13 * 40
  EXPECT_EQ(residual_interval(roster, {.local_budget = ExactProjection{}}), 1);
  EXPECT_EQ(residual_interval(roster, {.rounds = 100, .local_budget = FixedSteps{20}}), 2);
  EXPECT_EQ(residual_interval(roster, {.local_budget = FixedSteps{20}, .patience = 100}), 8);
}

TEST(FederatedRun, RefusesOptionsThatDoNotFit) {
  const LinearSystem system{Matrix{{1.0, 0.0}, {0.0, 1.0}}, {1.0, 1.0}};
  auto engine = engine_for(system, 2);
  const auto refusal = [&](RunOptions options, std::vector<double> start = {}) -> std::string {
    try {
      FederatedRun(options).run(engine, std::move(start));
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "";
  };

  EXPECT_EQ(refusal({.participants = 3}), "3 participants a round cannot be drawn from 2 clients");
  EXPECT_EQ(refusal({.sparsity = 3}), "cannot keep 3 entries: there are only 2 unknowns");
  EXPECT_EQ(refusal({.rounds = 0}), "a run needs at least one round");
  EXPECT_EQ(refusal({.local_budget = FixedSteps{0}}), "clients and server need at least one step");
  EXPECT_EQ(refusal({.tolerance = -1.0}), "the tolerance must be zero or positive");
  EXPECT_EQ(refusal({.noise_columns = 2}), "a run needs at least one unknown besides the noise columns");
  EXPECT_EQ(refusal({}, {1.0}), "the start has 1 entries, the problem 2 unknowns");
  EXPECT_THROW(InProcessEngine({}, 1), InvalidArgument);
}

}  // namespace
}  // namespace fedrk

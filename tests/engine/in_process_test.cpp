// SPDX-License-Identifier: Apache-2.0
#include "fedrk/in_process_engine.hpp"

#include <gtest/gtest.h>

#include "engine/column_squares.hpp"
#include "engine/engine_cases.hpp"

namespace fedrk {
namespace {

class InProcess : public testing::TestWithParam<test::EngineCase> {};
INSTANTIATE_TEST_SUITE_P(Cases, InProcess, testing::ValuesIn(test::engine_cases()),
                         [](const auto& test) { return test.param.name; });

TEST_P(InProcess, GivesTheSameBitsForAnyNumberOfThreads) {
  InProcessEngine alone(test::clients_for(GetParam()), 1);
  const test::Trace expected = test::trace_of(alone, GetParam());

  for (const std::size_t threads : {2U, 3U, 8U}) {
    InProcessEngine engine(test::clients_for(GetParam()), threads);
    EXPECT_TRUE(test::trace_of(engine, GetParam()) == expected) << threads << " threads";
  }
}

TEST_P(InProcess, GivesOtherIteratesForAnotherSeed) {
  const bool exact = GetParam().options.local_budget == StepBudget{ExactProjection{}} &&
                     GetParam().options.server_budget == StepBudget{ExactProjection{}};
  const bool fit = GetParam().name.starts_with("gram") || GetParam().name == "conjugate_gradients";
  const bool draws_nothing = fit || (GetParam().options.participants == 0 && (exact || GetParam().method));
  test::EngineCase other = GetParam();
  other.options.seed += 100;
  InProcessEngine engine(test::clients_for(GetParam()), 2), other_engine(test::clients_for(other), 2);

  const bool same = test::trace_of(engine, GetParam()) == test::trace_of(other_engine, other);

  EXPECT_EQ(same, draws_nothing);
}

// ---- Sums.

std::vector<Client> three_clients() {
  std::vector<Client> clients;
  clients.emplace_back(ClientId{0}, "first", RowBlock({Matrix{{1.0, 0.0}}, {1.0}}), 1);
  clients.emplace_back(ClientId{1}, "second", RowBlock({Matrix{{0.0, 1.0}}, {1.0}}), 2);
  clients.emplace_back(ClientId{2}, "third", RowBlock({Matrix{{2.0, 0.0}}, {4.0}}), 3);
  return clients;
}

TEST(ColumnSquaresInProcess, AreThoseOfTheRows) {
  InProcessEngine engine(three_clients(), 2);
  const auto all = test::everyone_in(engine);

  const RoundReplies each = engine.local_updates(test::column_squares(0, Reveal::Updates), all);
  const RoundReplies sum = engine.local_updates(test::column_squares(0, Reveal::Sums), all);

  ASSERT_EQ(each.replies.size(), 3U);
  EXPECT_EQ(each.replies[0].values, AlignedVector{1.0});
  EXPECT_EQ(each.replies[1].values, AlignedVector{0.0});
  EXPECT_EQ(each.replies[2].values, AlignedVector{4.0});
  ASSERT_EQ(sum.replies.size(), 1U);
  EXPECT_EQ(sum.replies[0].values, AlignedVector{5.0});
}

TEST(ColumnSquaresInProcess, AreEntriesOfTheColumnNorms) {
  for (const bool sparse : {false, true}) {
    std::vector<Client> clients = test::clients_with_columns(sparse);
    for (Client& client : clients) {
      const AlignedVector norms = client.local_update({RoundIndex{0}, {}, ColumnNorms{}}).values;
      for (std::uint32_t column = 0; column < norms.size(); ++column) {
        const LocalReply reply = client.local_update(test::column_squares(column, Reveal::Updates));
        EXPECT_EQ(reply.values, AlignedVector{norms[column]});
      }
    }
  }
}

// At this x the second client's displacement is 1e160 long, which cannot be squared; the others do not see that entry.
TEST(InProcessSums, LeaveOutAPartThatWouldSpoilThem) {
  InProcessEngine engine(three_clients(), 1);
  const std::vector<double> x{0.0, 1e160};
  const std::vector<ClientId> all{ClientId{0}, ClientId{1}, ClientId{2}};
  LocalTask task{RoundIndex{0}, x, CutSteps{FixedSteps{1}}, false};
  task.reveal = Reveal::Sums;

  const RoundReplies round = engine.local_updates(task, all);

  EXPECT_EQ(round.answered, (std::vector{ClientId{0}, ClientId{2}}));
  ASSERT_EQ(round.absences.size(), 1);
  EXPECT_EQ(round.absences[0].client, ClientId{1});
  ASSERT_EQ(round.replies.size(), 1);
  // (1, 0) with gap 1 and (2, 0) with gap 4, by hand: the squares of the distances, as each makes one step.
  EXPECT_DOUBLE_EQ(round.replies[0].values[0], 3.0);
  EXPECT_DOUBLE_EQ(round.replies[0].values[1], 0.0);
  EXPECT_DOUBLE_EQ(*round.replies[0].gap, 5.0);
}

TEST(InProcessSums, AreTheUpdatesAddedUpInClientOrder) {
  InProcessEngine engine(test::clients_of(generate({.rows = 60, .cols = 20, .seed = 3}).system, 6, 3), 3);
  const auto x = test::gaussian_vector(20, 3);
  const std::vector<ClientId> some{ClientId{1}, ClientId{3}, ClientId{4}};
  LocalTask task{RoundIndex{5}, x, CutSteps{FixedSteps{9}}, true};
  const RoundReplies single = engine.local_updates(task, some);
  task.reveal = Reveal::Sums;
  const RoundReplies summed = engine.local_updates(task, some);

  ASSERT_EQ(summed.replies.size(), 1);
  AlignedVector values(20, 0.0);
  double gap = 0.0, residual = 0.0;
  for (const LocalReply& reply : single.replies) {
    axpy(1.0, reply.values, values);
    gap += *reply.gap;
    residual += *reply.squared_residual;
  }
  EXPECT_EQ(summed.replies[0].values, values);
  EXPECT_EQ(summed.replies[0].gap, gap);
  EXPECT_EQ(summed.replies[0].squared_residual, residual);
}

// A sum is as long as each of its parts, and every client sends one: n numbers, the gap and the residual.
TEST(InProcessSums, CountTheBytesOfEverySender) {
  InProcessEngine engine(test::clients_of(generate({.rows = 60, .cols = 20, .seed = 3}).system, 6, 3), 1);
  const RunOptions run{.rounds = 1, .participants = 3, .local_budget = FixedSteps{9}, .residual_every = 1};
  for (const Reveal reveal : {Reveal::Sums, Reveal::Updates}) {
    const auto method = make_method({.memory = 5, .reveal = reveal}, run, engine);
    const auto result = FederatedRun(run).run(engine, *method);

    EXPECT_EQ(result.history[0].bytes_up, 3 * (20 + 2) * 8);
    EXPECT_EQ(result.history[0].bytes_down, 3 * 20 * 8);
    EXPECT_EQ(result.bytes_up, 3 * (20 + 2) * 8 + 6 * 8);  // and everyone's residual at the end
  }
}

}  // namespace
}  // namespace fedrk

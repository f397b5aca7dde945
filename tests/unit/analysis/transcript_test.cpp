// SPDX-License-Identifier: Apache-2.0
#include "analysis/record_attack.hpp"

#include <gtest/gtest.h>

#include "fedrk/run.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

// Rows (1, 0), (0, 1) and (1, 1) with right-hand sides 1, 2, 3, one for each of three clients.
std::vector<Client> three_clients() {
  return test::clients_of({Matrix{{1.0, 0.0}, {0.0, 1.0}, {1.0, 1.0}}, {1.0, 2.0, 3.0}}, 3, 1);
}

const std::vector<ClientId> kEveryone{ClientId{0}, ClientId{1}, ClientId{2}};
const std::vector<double> kZero{0.0, 0.0};

TEST(Transcript, KeepsEveryAnswerWithTheXItWasGivenAt) {
  InProcessEngine inner(three_clients(), 1);
  RecordingEngine engine(inner);

  const RoundReplies round = engine.local_updates({RoundIndex{7}, kZero, FixedSteps{1}}, kEveryone);

  EXPECT_EQ(round.replies.size(), 3);
  EXPECT_EQ(engine.dimension(), 2);
  EXPECT_EQ(engine.roster().size(), 3);
  ASSERT_EQ(engine.transcript().size(), 3);
  const auto updates = updates_of(engine.transcript(), ClientId{2});
  ASSERT_EQ(updates.size(), 1);
  EXPECT_EQ(updates[0].round.value, 7);
  EXPECT_EQ(updates[0].x, kZero);
  EXPECT_EQ(updates[0].delta, (std::vector{1.5, 1.5}));  // onto x_1 + x_2 = 3
  EXPECT_TRUE(sums_as_updates(engine.transcript(), ReadAs::Sum).empty());
}

TEST(Transcript, HoldsNothingOfASumButTheSum) {
  InProcessEngine inner(three_clients(), 1);
  RecordingEngine engine(inner);

  (void)engine.local_updates({.round = RoundIndex{0}, .x = kZero, .work = FixedSteps{1}, .reveal = Reveal::Sums},
                             kEveryone);

  ASSERT_EQ(engine.transcript().size(), 1);
  EXPECT_EQ(engine.transcript()[0].clients, kEveryone);
  for (const ClientId client : kEveryone) EXPECT_TRUE(updates_of(engine.transcript(), client).empty());
  EXPECT_EQ(sums_as_updates(engine.transcript(), ReadAs::Sum)[0].delta, (std::vector{2.5, 3.5}));
  EXPECT_EQ(sums_as_updates(engine.transcript(), ReadAs::Mean)[0].delta, (std::vector{2.5 / 3.0, 3.5 / 3.0}));
}

TEST(Transcript, TakesASumOverOneClientForItsUpdate) {
  InProcessEngine inner(three_clients(), 1);
  RecordingEngine engine(inner);
  const std::vector<ClientId> alone{ClientId{1}};

  (void)engine.local_updates({.round = RoundIndex{0}, .x = kZero, .work = FixedSteps{1}, .reveal = Reveal::Sums},
                             alone);

  EXPECT_EQ(updates_of(engine.transcript(), ClientId{1})[0].delta, (std::vector{0.0, 2.0}));
  EXPECT_TRUE(sums_as_updates(engine.transcript(), ReadAs::Sum).empty());
}

TEST(Transcript, LeavesOutAnswersThatAreNoDisplacements) {
  InProcessEngine inner(three_clients(), 1);
  RecordingEngine engine(inner);

  (void)engine.local_updates({RoundIndex{0}, kZero, Gradient{}}, kEveryone);
  (void)engine.local_updates({RoundIndex{0}, {}, ColumnNorms{}}, kEveryone);
  Transcript transcript = engine.transcript();
  ASSERT_EQ(transcript.size(), 6);
  transcript.push_back(
      {RoundIndex{0}, SparseSteps{FixedSteps{3}, 0.5}, kZero, {ClientId{0}}, {ClientId{0}, {1.0, 1.0}}});

  for (const ClientId client : kEveryone) EXPECT_TRUE(updates_of(transcript, client).empty());
}

TEST(Transcript, ChangesNothingInARun) {
  InProcessEngine plain(three_clients(), 1), inner(three_clients(), 1);
  RecordingEngine engine(inner);
  const FederatedRun run({.rounds = 20, .participants = 2, .local_budget = FixedSteps{2}});

  EXPECT_EQ(run.run(engine).x, run.run(plain).x);
  EXPECT_GE(engine.transcript().size(), 40);
}

}  // namespace
}  // namespace fedrk

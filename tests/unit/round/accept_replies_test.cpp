// SPDX-License-Identifier: Apache-2.0
#include "round/accept_replies.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace fedrk {
namespace {

LocalReply reply(std::uint32_t client, AlignedVector delta, std::optional<double> residual = 1.0) {
  return {ClientId{client}, std::move(delta), residual};
}

const std::vector<double> kX{0.0, 0.0};
const LocalTask kTask{RoundIndex{0}, kX, FixedSteps{5}, true};
const std::vector<ClientId> kAsked{ClientId{1}, ClientId{3}, ClientId{4}};

std::vector<std::uint32_t> clients_of(const RoundReplies& round) {
  std::vector<std::uint32_t> ids;
  for (const LocalReply& r : round.replies) ids.push_back(r.client.value);
  return ids;
}

TEST(AcceptReplies, PutsThemInClientOrderWhateverTheOrderOfArrival) {
  RoundReplies round;
  round.replies = {reply(4, {1.0, 0.0}), reply(1, {2.0, 0.0}), reply(3, {0.0, 0.0})};

  accept_replies(kTask, kX.size(), kAsked, round);

  EXPECT_EQ(clients_of(round), (std::vector<std::uint32_t>{1, 3, 4}));
  EXPECT_TRUE(round.absences.empty());
}

TEST(AcceptReplies, KeepsTheFirstOfARepeatedReplyAndDropsStrangers) {
  RoundReplies round;
  round.replies = {reply(3, {1.0, 0.0}), reply(99, {7.0, 0.0}), reply(3, {5.0, 0.0}), reply(2, {5.0, 0.0})};

  accept_replies(kTask, kX.size(), kAsked, round);

  ASSERT_EQ(clients_of(round), std::vector<std::uint32_t>{3});
  EXPECT_EQ(round.replies[0].values[0], 1.0);
}

TEST(AcceptReplies, CountsAClientThatSendsNonsenseAsAbsentAndSaysWhy) {
  const auto reason = [](LocalReply bad) {
    RoundReplies round;
    round.replies = {std::move(bad)};
    accept_replies(kTask, kX.size(), kAsked, round);
    return round.replies.empty() && round.absences.size() == 1 ? round.absences[0].reason : "accepted";
  };

  EXPECT_EQ(reason(reply(1, {1.0, std::nan("")})), "its update holds a number that is not finite");
  EXPECT_EQ(reason(reply(1, {1.0})), "its update has 1 entries, not 2");
  EXPECT_EQ(reason(reply(1, {1e200, 0.0})), "its update is too long to be squared");
  EXPECT_EQ(reason(reply(1, {1.0, 1.0}, -1.0)), "its squared residual is negative or not finite");
  EXPECT_EQ(reason(reply(1, {1.0, 1.0}, HUGE_VAL)), "its squared residual is negative or not finite");
  EXPECT_EQ(reason(reply(1, {1.0, 1.0}, std::nullopt)), "it reported no residual");
  EXPECT_EQ(reason(reply(1, {1.0, 1.0}, 0.0)), "accepted");
}

TEST(AcceptReplies, ExpectsNoDisplacementWhereOnlyTheResidualWasAsked) {
  RoundReplies round;
  round.replies = {reply(1, {}), reply(3, {1.0, 1.0})};

  accept_replies({RoundIndex{0}, kX, FixedSteps{0}, true}, kX.size(), kAsked, round);

  EXPECT_EQ(clients_of(round), std::vector<std::uint32_t>{1});
}

TEST(AcceptReplies, WantsAGapWhereItWasAskedFor) {
  const auto reason = [](const LocalWork& work, LocalReply bad) {
    RoundReplies round;
    round.replies = {std::move(bad)};
    accept_replies({RoundIndex{0}, kX, work, false}, kX.size(), kAsked, round);
    return round.replies.empty() && round.absences.size() == 1 ? round.absences[0].reason : "accepted";
  };
  const auto with = [](std::optional<double> gap) {
    LocalReply made = reply(1, {1.0, 1.0}, std::nullopt);
    made.gap = gap;
    return made;
  };
  const std::string no_gap = "it sent no gap, or one that is not finite";
  const CutSteps valid{FixedSteps{5}};
  EXPECT_EQ(reason(valid, with(std::nullopt)), no_gap);
  EXPECT_EQ(reason(valid, with(std::nan(""))), no_gap);
  EXPECT_EQ(reason(SparseSteps{}, with(HUGE_VAL)), no_gap);
  EXPECT_EQ(reason(valid, with(-1.0)), "accepted");
}

// ---- Sums.

LocalTask sum_task() {
  LocalTask task = kTask;
  task.reveal = Reveal::Sums;
  return task;
}

TEST(AcceptReplies, TakesASumWithThoseInItInClientOrder) {
  RoundReplies round;
  round.replies = {reply(0, {1.0, 2.0})};
  round.answered = {ClientId{4}, ClientId{1}};

  accept_replies(sum_task(), kX.size(), kAsked, round);

  ASSERT_EQ(round.replies.size(), 1);
  EXPECT_EQ(round.answered, (std::vector{ClientId{1}, ClientId{4}}));
}

TEST(AcceptReplies, CountsEveryoneInASpoiledSumAsAbsent) {
  for (const double spoiled : {std::nan(""), HUGE_VAL, 1e200}) {
    RoundReplies round;
    round.replies = {reply(0, {1.0, spoiled})};
    round.answered = {ClientId{1}, ClientId{4}};
    round.absences = {{ClientId{3}, "gone"}};

    accept_replies(sum_task(), kX.size(), kAsked, round);

    EXPECT_TRUE(round.replies.empty());
    EXPECT_TRUE(round.answered.empty());
    ASSERT_EQ(round.absences.size(), 3);
    EXPECT_EQ(round.absences[1].client, ClientId{1});
    EXPECT_EQ(round.absences[1].reason.find("the sum that it is part of: its update"), 0);
  }
}

TEST(AcceptReplies, NamesNobodyInASumTwiceAndNobodyThatWasNotAsked) {
  RoundReplies round;
  round.replies = {reply(0, {1.0, 2.0}), reply(0, {5.0, 5.0})};
  round.answered = {ClientId{4}, ClientId{1}, ClientId{99}, ClientId{4}};

  accept_replies(sum_task(), kX.size(), kAsked, round);

  EXPECT_EQ(round.answered, (std::vector{ClientId{1}, ClientId{4}}));
  ASSERT_EQ(round.replies.size(), 1);
  EXPECT_EQ(round.replies[0].values[0], 1.0);
}

TEST(AcceptReplies, DropsASumOfNobodyAndNobodyWithoutASum) {
  RoundReplies nobody, nothing;
  nobody.replies = {reply(0, {1.0, 2.0})};
  nobody.answered = {ClientId{99}};
  nothing.answered = {ClientId{1}};

  accept_replies(sum_task(), kX.size(), kAsked, nobody);
  accept_replies(sum_task(), kX.size(), kAsked, nothing);

  EXPECT_TRUE(nobody.replies.empty());
  EXPECT_TRUE(nothing.answered.empty());
}

TEST(KeepOnlyTheSum, KeepsTheReasonsOfThoseWhoSentNothing) {
  RoundReplies round;
  round.replies = {reply(3, {1.0, 2.0}), reply(4, {1.0, NAN})};
  round.absences = {{ClientId{1}, "no answer"}};

  keep_only_the_sum(sum_task(), kX.size(), kAsked, round);

  ASSERT_EQ(round.absences.size(), 2);
  EXPECT_EQ(round.absences[0].reason, "no answer");
  EXPECT_EQ(round.absences[1].reason, "its part could not be added");
}

}  // namespace
}  // namespace fedrk

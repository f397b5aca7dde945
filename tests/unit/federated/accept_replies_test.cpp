// SPDX-License-Identifier: Apache-2.0
#include "fedrk/federated/accept_replies.hpp"

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

}  // namespace
}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#include "round/sweep.hpp"

#include <cmath>
#include <optional>

#include <gtest/gtest.h>

namespace fedrk {
namespace {

class SweepTest : public ::testing::Test {
 protected:
  SweepTest() {
    for (std::uint32_t i = 0; i < 6; ++i) roster_.push_back({ClientId{i}, "site", 1});
    groups_.emplace(roster_, 2, 1);
  }

  // The group's sum of 2^client.
  static RoundReplies answer(std::span<const ClientId> group) {
    RoundReplies round;
    double sum = 0.0;
    for (const ClientId client : group) sum += std::exp2(client.value);
    round.replies.push_back({ClientId{}, {sum}});
    round.answered.assign(group.begin(), group.end());
    return round;
  }
  static RoundReplies without(ClientId missing, std::span<const ClientId> group) {
    RoundReplies round;
    round.absences.push_back({missing, "away"});
    for (const ClientId client : group) {
      if (client != missing) round.answered.push_back(client);
    }
    return round;
  }

  std::vector<ClientSummary> roster_;
  std::optional<Groups> groups_;
  Sweep sweep_;
};

TEST_F(SweepTest, AsksEveryGroupOnceAndAddsUp) {
  sweep_.begin(*groups_);
  for (int k = 0; k < 3; ++k) {
    EXPECT_TRUE(sweep_.running());
    EXPECT_EQ(sweep_.add(Gradient{}, answer(sweep_.group())), k == 2);
  }

  EXPECT_FALSE(sweep_.running());
  EXPECT_TRUE(sweep_.lost().empty());
  const RoundReplies all = sweep_.take();
  EXPECT_EQ(all.replies.front().values, AlignedVector{63.0});
  EXPECT_EQ(all.answered, groups_->everyone());
}

TEST_F(SweepTest, AsksAGroupAgainInWhichSomebodyIsMissing) {
  sweep_.begin(*groups_);
  const ClientId away = sweep_.group()[1];
  EXPECT_FALSE(sweep_.add(Gradient{}, without(away, sweep_.group())));
  EXPECT_FALSE(sweep_.add(Gradient{}, answer(sweep_.group())));
  EXPECT_FALSE(sweep_.add(Gradient{}, answer(sweep_.group())));

  EXPECT_TRUE(sweep_.second_time());
  EXPECT_EQ(sweep_.group()[1], away);
  EXPECT_TRUE(sweep_.add(Gradient{}, answer(sweep_.group())));
  EXPECT_EQ(sweep_.take().replies.front().values, AlignedVector{63.0});
}

TEST_F(SweepTest, NamesThoseWhoStayAway) {
  sweep_.begin(*groups_);
  const ClientId away = sweep_.group()[0];
  for (int k = 0; k < 3; ++k) sweep_.add(Gradient{}, k == 0 ? without(away, sweep_.group()) : answer(sweep_.group()));

  EXPECT_TRUE(sweep_.add(Gradient{}, without(away, sweep_.group())));

  EXPECT_EQ(sweep_.lost(), std::vector{away});
}

// Sums of doubles depend on their order: whoever is late, the groups are added in theirs.
TEST_F(SweepTest, LeavesTheSameBitsWhateverTheOrderOfTheAnswers) {
  const auto part = [&](std::span<const ClientId> group) {
    RoundReplies round = answer(group);
    round.replies.front().values[0] = 1.0 / (1.0 + group[0].value);
    return round;
  };
  sweep_.begin(*groups_);
  for (int k = 0; k < 3; ++k) sweep_.add(Gradient{}, part(sweep_.group()));
  const double straight = sweep_.take().replies.front().values[0];

  sweep_.begin(*groups_);
  sweep_.add(Gradient{}, without(sweep_.group()[0], sweep_.group()));
  while (sweep_.running()) sweep_.add(Gradient{}, part(sweep_.group()));

  EXPECT_EQ(sweep_.take().replies.front().values[0], straight);
}

// 1 + 2^-80 is a pair that no double holds.
TEST_F(SweepTest, AddsPairsAsDoubleDoubles) {
  const auto part = [](std::span<const ClientId> group) {
    RoundReplies round;
    round.replies.push_back({ClientId{}, {1.0, 0x1.0p-80}});
    round.answered.assign(group.begin(), group.end());
    return round;
  };
  sweep_.begin(*groups_);
  while (sweep_.running()) sweep_.add(CrossProducts{true}, part(sweep_.group()));

  EXPECT_EQ(sweep_.take().replies.front().values, (AlignedVector{3.0, 3.0 * 0x1.0p-80}));
}

}  // namespace
}  // namespace fedrk

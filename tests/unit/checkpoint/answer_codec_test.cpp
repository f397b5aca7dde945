// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/answer_codec.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace fedrk::store {
namespace {

RoundReplies some_answer() {
  RoundReplies round;
  round.replies.push_back({ClientId{1}, {1.0, -0.0, 5e-324}, 0.25});
  round.replies.push_back({ClientId{7}, {}, {}, std::numeric_limits<double>::infinity()});
  round.replies.push_back({ClientId{9}, {2.0}, 1.0, 3.0});
  round.absences = {{ClientId{2}, "gone"}, {ClientId{3}, ""}};
  round.answered = {ClientId{1}, ClientId{7}, ClientId{9}};
  return round;
}

TEST(AnswerCodec, GivesBackEveryBit) {
  const RoundReplies round = some_answer();

  const auto again = decoded(encoded(round));

  ASSERT_TRUE(again);
  ASSERT_EQ(again->replies.size(), 3);
  EXPECT_EQ(encoded(*again), encoded(round));
  EXPECT_TRUE(std::signbit(again->replies[0].values[1]));
  EXPECT_EQ(again->replies[0].values[2], 5e-324);
  EXPECT_EQ(again->replies[0].squared_residual, 0.25);
  EXPECT_FALSE(again->replies[0].gap);
  EXPECT_EQ(again->replies[1].gap, std::numeric_limits<double>::infinity());
  EXPECT_EQ(again->replies[2].gap, 3.0);
  EXPECT_EQ(again->absences[0].reason, "gone");
  EXPECT_EQ(again->answered, round.answered);
  EXPECT_TRUE(decoded(encoded({})));
}

TEST(AnswerCodec, NoticesEveryDamagedByteAndEveryMissingOne) {
  const std::string bytes = encoded(some_answer());
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    std::string damaged = bytes;
    damaged[k] = static_cast<char>(damaged[k] ^ 16);
    EXPECT_FALSE(decoded(damaged)) << "byte " << k;
    EXPECT_FALSE(decoded(bytes.substr(0, k))) << "cut after " << k;
  }
  EXPECT_FALSE(decoded(bytes + '\0'));
}

}  // namespace
}  // namespace fedrk::store

// SPDX-License-Identifier: Apache-2.0
#include "round/groups.hpp"

#include <gtest/gtest.h>

namespace fedrk {
namespace {

std::vector<ClientSummary> roster_with(std::uint32_t clients) {
  std::vector<ClientSummary> roster;
  for (std::uint32_t i = 0; i < clients; ++i) roster.push_back({ClientId{i}, "client", 1, 1.0});
  return roster;
}

TEST(Participation, DrawsTheNumberAskedForWithoutReplacement) {
  const auto roster = roster_with(16);
  std::vector<int> counts(16, 0);

  for (std::uint32_t t = 0; t < 3200; ++t) {
    const auto chosen = choose_participants(roster, 5, stream_for(1, Purpose::Participation, RoundIndex{t}));
    ASSERT_EQ(chosen.size(), 5);
    for (std::size_t k = 1; k < 5; ++k) EXPECT_LT(chosen[k - 1], chosen[k]);
    for (const ClientId id : chosen) ++counts[id.value];
  }

  for (const int count : counts) EXPECT_NEAR(count, 1000, 131);  // binomial, five standard deviations
}

TEST(Participation, TakesAllWhereNoNumberIsGiven) {
  EXPECT_EQ(choose_participants(roster_with(3), 0, stream_for(1, Purpose::Participation)).size(), 3);
  EXPECT_EQ(choose_participants(roster_with(3), 3, stream_for(1, Purpose::Participation)).size(), 3);
}

}  // namespace
}  // namespace fedrk

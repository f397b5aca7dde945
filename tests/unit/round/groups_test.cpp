// SPDX-License-Identifier: Apache-2.0
#include "round/groups.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace fedrk {
namespace {

std::vector<ClientSummary> roster_of(std::uint32_t count) {
  std::vector<ClientSummary> roster;
  for (std::uint32_t i = 0; i < count; ++i) roster.push_back({ClientId{i}, "site", 1});
  return roster;
}

Groups groups_of(std::uint32_t clients, std::size_t size, std::size_t min_size = 1) {
  return {roster_of(clients), size, min_size};
}

std::vector<std::size_t> sizes(const Groups& groups) {
  std::vector<std::size_t> all;
  for (std::size_t k = 0; k < groups.count(); ++k) all.push_back(groups.at(k).size());
  std::ranges::sort(all);
  return all;
}

using Sizes = std::vector<std::size_t>;

TEST(Groups, AreOfAboutTheSizeAskedFor) {
  EXPECT_EQ(sizes(groups_of(16, 5)), (Sizes{5, 5, 6}));
  EXPECT_EQ(sizes(groups_of(10, 3)), (Sizes{3, 3, 4}));
  EXPECT_EQ(sizes(groups_of(15, 8)), (Sizes{7, 8}));
  EXPECT_EQ(sizes(groups_of(6, 0)), (Sizes{6}));
  EXPECT_EQ(sizes(groups_of(6, 6)), (Sizes{6}));
  EXPECT_EQ(sizes(groups_of(3, 1)), (Sizes{1, 1, 1}));
  EXPECT_EQ(sizes(groups_of(1, 1)), (Sizes{1}));
}

TEST(Groups, AreNeverSmallerThanASumMayBe) {
  EXPECT_EQ(sizes(groups_of(5, 3, 3)), (Sizes{5}));
  EXPECT_EQ(sizes(groups_of(7, 3, 3)), (Sizes{3, 4}));
  EXPECT_EQ(sizes(groups_of(2, 1, 3)), (Sizes{2}));
}

TEST(Groups, HoldEveryClientOnceInAscendingOrder) {
  for (const std::size_t size : {0U, 1U, 2U, 5U, 7U, 16U}) {
    const Groups groups = groups_of(16, size);
    std::vector<ClientId> all;
    for (std::size_t k = 0; k < groups.count(); ++k) {
      EXPECT_TRUE(std::ranges::is_sorted(groups.at(k)));
      all.insert(all.end(), groups.at(k).begin(), groups.at(k).end());
    }
    std::ranges::sort(all);
    EXPECT_EQ(all, groups.everyone());
    EXPECT_EQ(all.size(), 16);
  }
}

// So that two runs over the same clients have sums that cannot be compared.
TEST(Groups, FollowFromTheListOfClientsAlone) {
  const auto ids = [](std::initializer_list<std::uint32_t> values) {
    std::vector<ClientId> list;
    for (const std::uint32_t value : values) list.push_back(ClientId{value});
    return list;
  };
  using Lists = std::vector<std::vector<ClientId>>;
  EXPECT_EQ(kept_groups(7, 3, 3), (Lists{ids({0, 1, 2}), ids({3, 4, 5, 6})}));
  EXPECT_EQ(kept_groups(4, 0, 3), (Lists{ids({0, 1, 2, 3})}));
}

TEST(Groups, TakeTurns) {
  const Groups groups = groups_of(10, 3);
  for (std::uint32_t t = 0; t < 9; ++t) {
    EXPECT_TRUE(std::ranges::equal(groups.in_turn(RoundIndex{t}), groups.at(t % 3)));
  }
}

TEST(Groups, JoinOthersWhenTooFewAreLeft) {
  Groups groups = groups_of(9, 3, 3);
  const std::vector<ClientId> lost{groups.at(1)[0]};

  groups.leave_out(lost);

  EXPECT_EQ(sizes(groups), (Sizes{3, 5}));
  EXPECT_EQ(groups.everyone().size(), 8);
  EXPECT_EQ(std::ranges::find(groups.everyone(), lost[0]), groups.everyone().end());
}

}  // namespace
}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#include "problem/partition.hpp"

#include <gtest/gtest.h>

namespace fedrk {
namespace {

using Weights = std::vector<std::size_t>;
using First = std::vector<std::size_t>;

TEST(Blocks, OfEqualClientsAreEven) {
  EXPECT_EQ(balanced_blocks(Weights(6, 10), 3), (First{0, 2, 4, 6}));
  EXPECT_EQ(balanced_blocks(Weights(16, 1), 1), (First{0, 16}));
}

// fig1-large: the last client has as many rows as all others together.
TEST(Blocks, KeepTheHeaviestAsLightAsCanBe) {
  EXPECT_EQ(balanced_blocks(Weights{1, 2, 4, 8, 16}, 2), (First{0, 4, 5}));
  EXPECT_EQ(balanced_blocks(Weights{5, 1, 1, 1, 1, 1}, 2), (First{0, 1, 6}));
  EXPECT_EQ(balanced_blocks(Weights{3, 3, 3, 3}, 3), (First{0, 2, 3, 4}));
}

TEST(Blocks, LeaveNobodyWithoutAClientWhereThereAreEnough) {
  EXPECT_EQ(balanced_blocks(Weights{1, 1, 100}, 3), (First{0, 1, 2, 3}));
  EXPECT_EQ(balanced_blocks(Weights{100, 1, 1}, 3), (First{0, 1, 2, 3}));
  EXPECT_EQ(balanced_blocks(Weights{0, 0, 0, 0}, 4), (First{0, 1, 2, 3, 4}));
}

TEST(Blocks, StayEmptyWhereThereAreNotEnough) {
  const First first = balanced_blocks(Weights{7}, 3);

  EXPECT_EQ(first.front(), 0);
  EXPECT_EQ(first.back(), 1);
  EXPECT_EQ(first.size(), 4);
  EXPECT_EQ(balanced_blocks(Weights{}, 2), (First{0, 0, 0}));
}

}  // namespace
}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#include "linalg/random/subset.hpp"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

namespace fedrk {
namespace {

TEST(DrawSubset, MakesEverySubsetEquallyLikely) {
  std::map<std::vector<std::size_t>, int> counts;
  for (std::uint32_t k = 0; k < 10000; ++k) {
    RngStream stream = stream_for(1, Purpose::Participation, RoundIndex{k});
    ++counts[draw_subset(5, 2, stream)];
  }

  ASSERT_EQ(counts.size(), 10);  // 5 choose 2
  // Binomial with mean 1000 and standard deviation 30; five of them.
  for (const auto& [subset, count] : counts) {
    EXPECT_NEAR(count, 1000, 150);
    EXPECT_LT(subset[0], subset[1]);
  }
}

TEST(DrawSubset, CanTakeAllOrNone) {
  RngStream stream = stream_for(1, Purpose::Participation);

  EXPECT_EQ(draw_subset(3, 3, stream), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_TRUE(draw_subset(3, 0, stream).empty());
}

TEST(DrawPermutation, MakesEveryOrderEquallyLikely) {
  std::map<std::vector<std::size_t>, int> counts;
  for (std::uint32_t k = 0; k < 12000; ++k) {
    RngStream stream = stream_for(2, Purpose::PartitionShuffle, RoundIndex{k});
    ++counts[draw_permutation(3, stream)];
  }

  ASSERT_EQ(counts.size(), 6);
  for (const auto& [order, count] : counts) EXPECT_NEAR(count, 2000, 205);  // five standard deviations
}

}  // namespace
}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#include "secure_sum/part.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "secure_sum/reply_part.hpp"

namespace fedrk::masking {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

SumOfParts sum_of(const std::vector<std::optional<Words>>& parts, const PartLayout& layout, const Grid& grid) {
  Words sum(layout.words(), 0);
  for (const auto& part : parts) add_part(layout, part.value(), sum);
  return read_sum(layout, grid, sum);
}

// In quarters: 0.3 is one quarter, -1.6 are minus six, and 0.9 four.
TEST(Part, RoundsItsValuesToTheGrid) {
  const Grid quarters{-2};
  const PartLayout layout{2, 1};
  const std::vector<double> first{0.3, -1.6}, second{0.9, 2.0}, scalar{0.1};
  const auto sum =
      sum_of({part_of(first, scalar, quarters, 2), part_of(second, scalar, quarters, 2)}, layout, quarters);

  EXPECT_EQ(sum.parties, 2);
  EXPECT_TRUE(sum.fits);
  EXPECT_EQ(sum.values, (AlignedVector{1.25, 0.5}));
  EXPECT_EQ(sum.scalars, (std::vector{0.2}));
}

TEST(Part, KeepsItsValuesWhereNoGridIsKnown) {
  const PartLayout layout{2, 0, true};
  const std::vector<double> first{1e20, 0.1}, second{-1e20, 1e-20};
  const auto sum = sum_of({part_of(first, {}, {}, 2), part_of(second, {}, {}, 2)}, layout, {});
  EXPECT_EQ(sum.values, (AlignedVector{0.0, 0.1 + 1e-20}));
}

TEST(Part, IsNoneWhereNumbersDoNotFit) {
  const Grid units{0};
  const std::vector<double> fine{5.0}, large{0x1.0p62}, none{kNan}, vast{1e40};
  EXPECT_TRUE(part_of(large, fine, units, 1)) << "just fits";
  EXPECT_FALSE(part_of(large, fine, units, 2));
  EXPECT_FALSE(part_of(none, fine, units, 1));
  EXPECT_FALSE(part_of(fine, none, units, 1));
  EXPECT_FALSE(part_of(fine, vast, units, 1));
  EXPECT_FALSE(part_of(vast, {}, {}, 1));
}

TEST(Part, SubtractsWhatItAdded) {
  const PartLayout layout{3, 2};
  const std::vector<double> values{1.0, -2.0, 3.0}, scalars{-4.0, 1e-30};
  const Words part = *part_of(values, scalars, Grid{-40}, 3);
  Words sum = part;
  add_part(layout, part, sum);
  subtract_part(layout, part, sum);
  EXPECT_EQ(sum, part);
}

// ---- Pairs of doubles that stand for their sums.

// 1 + 1e-30 and -1 + 2e-30 are 3e-30 exactly, and the low parts of a sum of size one are kept beside it.
TEST(PartOfPairs, AddsThemUpExactly) {
  const PartLayout layout{2, 1, true, true};
  const std::vector<double> first{1.0, 1e-30, 3.0, 1e-30}, second{-1.0, 2e-30, 4.0, -1e-17}, scalar{0.5};
  const auto sum = sum_of({part_of_pairs(first, scalar), part_of_pairs(second, scalar)}, layout, {});
  EXPECT_EQ(sum.parties, 2);
  EXPECT_TRUE(sum.fits);
  ASSERT_EQ(sum.values.size(), 4);
  EXPECT_DOUBLE_EQ(sum.values[0], 3e-30);
  EXPECT_EQ(sum.values[2], 7.0);
  EXPECT_DOUBLE_EQ(sum.values[3], 1e-30 - 1e-17);
  EXPECT_EQ(sum.scalars, (std::vector{1.0}));
}

TEST(PartOfPairs, IsNoneWhereNumbersDoNotFit) {
  const std::vector<double> fine{1.0, 1e-20}, vast{1e31, 0.0}, none{1.0, kNan};
  EXPECT_TRUE(part_of_pairs(fine, {}));
  EXPECT_FALSE(part_of_pairs(vast, {}));
  EXPECT_FALSE(part_of_pairs(none, {}));
  EXPECT_FALSE(part_of_pairs(fine, vast));
}

// ---- Replies as parts.

// Whatever grid a server may name.
TEST(ReplyPart, HoldsOneWideNumberForEachPair) {
  const LocalTask task{RoundIndex{0}, {}, CrossProducts{true}};
  const std::size_t length = *reply_length(task.work, 1);
  ASSERT_EQ(length, 6);
  for (const Grid& grid : {Grid{}, Grid{-3}}) {
    const PartLayout layout = layout_of(task, length, grid);
    EXPECT_EQ(layout.words(), PartLayout::kHead + 3 * kWideWords);
    const LocalReply reply{ClientId{1}, {2.0, 1e-30, 0.1, 0.0, -7.0, 0x1.0p-55}};
    const LocalReply sum = reply_from(task, sum_of({part_of(task, reply, grid, 1)}, layout, grid));
    EXPECT_EQ(sum.values, reply.values);
  }
}

TEST(ReplyPart, HoldsAllThatATaskAsksFor) {
  const std::vector<double> x{0.0, 0.0};
  LocalTask task{RoundIndex{3}, x, CutSteps{FixedSteps{4}}, true};
  const LocalReply reply{ClientId{1}, {0.5, -0.25}, 7.0, 0.125};
  const Grid grid{-10};
  const PartLayout layout = layout_of(task, 2, grid);
  ASSERT_EQ(layout.scalars, 2) << "residual and gap";

  const auto sum = sum_of({part_of(task, reply, grid, 2), part_of(task, reply, grid, 2)}, layout, grid);
  const LocalReply both = reply_from(task, sum);

  EXPECT_EQ(both.values, (AlignedVector{1.0, -0.5}));
  EXPECT_EQ(both.squared_residual, 14.0);
  EXPECT_EQ(both.gap, 0.25);
}

TEST(ReplyPart, HoldsNoValuesWhereOnlyAResidualIsAskedFor) {
  const std::vector<double> x{0.0, 0.0};
  const LocalTask look{RoundIndex{3}, x, FixedSteps{0}, true};
  const PartLayout layout = layout_of(look, 0, {});
  EXPECT_EQ(layout.words(), PartLayout::kHead + kWideWords);
  const LocalReply sum = reply_from(look, sum_of({part_of(look, {ClientId{}, {}, 2.5}, {}, 1)}, layout, {}));
  EXPECT_EQ(sum.squared_residual, 2.5);
  EXPECT_TRUE(sum.values.empty());
  EXPECT_FALSE(sum.gap);
}

}  // namespace
}  // namespace fedrk::masking

// SPDX-License-Identifier: Apache-2.0
#include "secure_sum/grid_scale.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace fedrk::masking {
namespace {

const LocalTask kSteps{RoundIndex{}, {}, CutSteps{}};

TEST(GridScale, BeginsWithoutAGrid) { EXPECT_FALSE(GridScale().next(kSteps, 3).exponent); }

// A sum of up to 2^3 from 4 parties: 62 bits, less 3 for the size, 10 above it and 3 for the parties.
TEST(GridScale, FollowsTheLastSum) {
  GridScale scale;
  const std::vector<double> sum{0.5, -5.0}, later{1e-9, 0.0};
  scale.learn(kSteps, sum);
  EXPECT_EQ(scale.next(kSteps, 4).exponent, 3 + 10 + 3 - 62);
  scale.learn(kSteps, later);
  EXPECT_EQ(scale.next(kSteps, 4).exponent, std::ilogb(1e-9) + 1 + 10 + 3 - 62);
}

// A thousand times the last sum from everyone still fits, and its smallest part is known to 1e-13 of it.
TEST(GridScale, LeavesRoomAboveAndBelow) {
  GridScale scale;
  const std::vector<double> sum{1.0};
  for (const std::size_t parties : {3U, 16U, 1000U}) {
    scale.learn(kSteps, sum);
    const Grid grid = scale.next(kSteps, parties);
    const std::vector<double> large{1000.0};
    EXPECT_TRUE(part_of(large, {}, grid, parties)) << parties;
    EXPECT_LT(std::ldexp(static_cast<double>(parties), *grid.exponent), 1e-9) << parties;
  }
}

// A sum of four that is sixty times smaller than the last one is still known to 1e-12.
TEST(GridScale, TellsWhatIsTooCoarse) {
  const std::vector<double> last{0.0, 1.0}, small{0.016, 0.0}, tiny{0.0, -0.007}, none{0.0, 0.0};
  for (const std::size_t parties : {3U, 4U, 16U, 1000U, 100000U}) {
    GridScale scale;
    scale.learn(kSteps, last);
    const Grid grid = scale.next(kSteps, parties);
    EXPECT_FALSE(GridScale::too_coarse(kSteps, grid, parties, last));
    EXPECT_FALSE(GridScale::too_coarse(kSteps, grid, parties, small));
    if (parties <= 4) {
      EXPECT_LT(std::ldexp(1.0, *grid.exponent), 1e-12 * small[0]);
    }
    EXPECT_TRUE(GridScale::too_coarse(kSteps, grid, parties, tiny));
    EXPECT_TRUE(GridScale::too_coarse(kSteps, grid, parties, none)) << "it may be anything below a unit";
    EXPECT_FALSE(GridScale::too_coarse(kSteps, {}, parties, tiny)) << "wide integers hold every number";
    const LocalTask pass{RoundIndex{}, {}, ClippedPass{.exponent = *grid.exponent}};
    EXPECT_FALSE(GridScale::too_coarse(pass, grid, parties, tiny)) << "its numbers are multiples of the unit";
  }
}

TEST(GridScale, KeepsKindsOfWorkApart) {
  GridScale scale;
  const std::vector<double> sum{1.0};
  scale.learn(kSteps, sum);
  EXPECT_FALSE(scale.next({RoundIndex{}, {}, NormalProduct{}}, 3).exponent);
  const std::vector<std::uint32_t> columns{1, 2};
  LocalTask part = kSteps;
  part.columns = columns;
  EXPECT_FALSE(scale.next(part, 3).exponent) << "of some unknowns only";
}

// They are asked for once, and a target in other units than the columns would be lost below a grid.
TEST(GridScale, HasNoneForCrossProducts) {
  GridScale scale;
  const LocalTask products{RoundIndex{}, {}, CrossProducts{}};
  const std::vector<double> sum{1.0};
  scale.learn(products, sum);
  EXPECT_FALSE(scale.next(products, 3).exponent);
}

TEST(GridScale, BeginsAnewWhereThereIsNoSizeToFollow) {
  GridScale scale;
  const std::vector<double> sum{1.0}, zero{0.0};
  scale.learn(kSteps, sum);
  scale.learn(kSteps, zero);
  EXPECT_FALSE(scale.next(kSteps, 3).exponent);
  scale.learn(kSteps, sum);
  scale.forget(kSteps);
  EXPECT_FALSE(scale.next(kSteps, 3).exponent);
}

}  // namespace
}  // namespace fedrk::masking

// SPDX-License-Identifier: Apache-2.0
#include "problem/frame.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace fedrk {
namespace {

TEST(Frame, ScalesByThePowersOfTwoNextToTheSpreads) {
  const Frame frame = frame_from({{0.0, 5.0, -3.0, 100.0}, {1.0, 3.0, 0.01, 0.0}});

  EXPECT_EQ(frame.centre, (std::vector{0.0, 5.0, -3.0, 100.0}));
  // 3 is nearer to 4 than to 2 by ratio, 0.01 to 2^-7; a column without spread goes by its size, 100 to 2^7.
  EXPECT_EQ(frame.inverse_scale, (std::vector{1.0, 0.25, 128.0, 0x1.0p-7}));
}

TEST(Frame, OfSomeColumnsKeepsThePowersWhoseSourceIsAmongThem) {
  Frame frame{{0.0, 1.0, 2.0, 3.0}, {1.0, 2.0, 4.0, 8.0}, {{2, 1, 2}, {3, 1, 3}}};
  const std::vector<std::uint32_t> with{1, 3}, without{2, 3};

  const Frame part = restrict_to(frame, with);
  EXPECT_EQ(part.centre, (std::vector{1.0, 3.0}));
  ASSERT_EQ(part.powers.size(), 1);
  EXPECT_EQ(part.powers[0].column, 1);
  EXPECT_EQ(part.powers[0].source, 0);
  EXPECT_EQ(part.powers[0].exponent, 3);
  EXPECT_TRUE(restrict_to(frame, without).powers.empty());
}

TEST(Equilibration, LeavesColumnsOfSimilarLengthAsTheyAre) {
  const std::vector<double> squares{1.0, 1e4, 1e-2};  // lengths over three decades
  EXPECT_EQ(equilibration(squares, 10).scale, std::vector(3, 1.0));
}

TEST(Equilibration, BringsVeryDifferentColumnsToAboutOneLengthByPowersOfTwo) {
  const std::vector<double> squares{1e-16, 1.0, 1e16, 0.0};
  const Scaling scaling = equilibration(squares, 10);
  for (std::size_t j = 0; j < 3; ++j) {
    const double length = std::sqrt(squares[j]) / scaling.scale[j];
    EXPECT_GT(length, 0.7);
    EXPECT_LT(length, 1.42);
    EXPECT_EQ(std::ldexp(1.0, std::ilogb(scaling.scale[j])), scaling.scale[j]);
  }
  EXPECT_EQ(scaling.scale[3], 1.0);
  EXPECT_EQ(scaling.centre, std::vector(4, 0.0));
}

// With fewer rows than columns there are many solutions, and the one nearest to the start is another after scaling.
TEST(Equilibration, LeavesOpenSystemsAsTheyAre) {
  EXPECT_EQ(equilibration(std::vector{1e-16, 1.0, 1e16}, 2).scale, std::vector(3, 1.0));
}

}  // namespace
}  // namespace fedrk

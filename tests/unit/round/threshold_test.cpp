// SPDX-License-Identifier: Apache-2.0
#include "round/server_step.hpp"

#include <gtest/gtest.h>

namespace fedrk {
namespace {

std::vector<double> thresholded(std::size_t sparsity, std::vector<double> x) {
  Threshold(sparsity).apply(x);
  return x;
}

using Vector = std::vector<double>;

TEST(Threshold, KeepsTheLargestMagnitudes) {
  EXPECT_EQ(thresholded(2, {1.0, -5.0, 3.0, 0.5}), (Vector{0.0, -5.0, 3.0, 0.0}));
}

TEST(Threshold, KeepsTheLowerIndexAmongTies) {
  EXPECT_EQ(thresholded(2, {1.0, -1.0, 1.0, 1.0}), (Vector{1.0, -1.0, 0.0, 0.0}));
  EXPECT_EQ(thresholded(2, {1.0, 2.0, -1.0, 1.0}), (Vector{1.0, 2.0, 0.0, 0.0}));
}

TEST(Threshold, KeepsAllWhereNothingIsAsked) {
  EXPECT_EQ(thresholded(0, {1.0, 2.0}), (Vector{1.0, 2.0}));
  EXPECT_EQ(thresholded(2, {1.0, 2.0}), (Vector{1.0, 2.0}));
}

}  // namespace
}  // namespace fedrk

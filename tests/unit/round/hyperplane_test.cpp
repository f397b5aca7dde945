// SPDX-License-Identifier: Apache-2.0
#include "round/hyperplane.hpp"

#include <gtest/gtest.h>

#include "kaczmarz/projection.hpp"

namespace fedrk {
namespace {

TEST(Hyperplane, PassesThroughTheClientsEndPoint) {
  const std::vector<double> x{1.0, 2.0}, end_point{1.5, 1.0};

  const auto plane = hyperplane_from({0.5, -1.0});

  EXPECT_DOUBLE_EQ(dot(plane->normal, end_point) - dot(plane->normal, x), plane->gap);
}

TEST(Hyperplane, OneStepOntoItLandsOnTheClientsEndPoint) {
  std::vector<double> x{1.0, 2.0};
  const auto plane = hyperplane_from({0.5, -1.0});
  const double offset = plane->gap + dot(plane->normal, x);

  project(HyperplaneView<std::span<const double>>{plane->normal, offset, plane->squared_norm}, x);

  EXPECT_DOUBLE_EQ(x[0], 1.5);
  EXPECT_DOUBLE_EQ(x[1], 1.0);
}

TEST(Hyperplane, OfAZeroDisplacementDoesNotExist) { EXPECT_FALSE(hyperplane_from({0.0, 0.0})); }

TEST(Hyperplane, OfADisplacementTooShortToBeSquaredDoesNotExist) {
  EXPECT_FALSE(hyperplane_from({1e-160, 0.0}));
  EXPECT_TRUE(hyperplane_from({1e-150, 0.0}));
}

TEST(HyperplanesFrom, KeepsClientOrderAndDropsZeros) {
  std::vector<LocalReply> replies{
      {ClientId{1}, {1.0, 0.0}, {}}, {ClientId{4}, {0.0, 0.0}, {}}, {ClientId{7}, {0.0, 2.0}, {}}};

  const auto planes = hyperplanes_from(replies);

  ASSERT_EQ(planes.size(), 2);
  EXPECT_EQ(planes[0].squared_norm, 1.0);
  EXPECT_EQ(planes[1].squared_norm, 4.0);
}

}  // namespace
}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#include "fedrk/federated/hyperplane.hpp"

#include <gtest/gtest.h>

namespace fedrk {
namespace {

TEST(Hyperplane, PassesThroughTheClientsEndPoint) {
  const std::vector<double> x{1.0, 2.0};

  const auto plane = hyperplane_from({0.5, -1.0}, x);

  EXPECT_DOUBLE_EQ(dot(plane->normal, std::vector{1.5, 1.0}), plane->offset);
}

TEST(Hyperplane, OneStepOntoItLandsOnTheClientsEndPoint) {
  std::vector<double> x{1.0, 2.0};
  const auto plane = hyperplane_from({0.5, -1.0}, x);

  project(plane->view(), x);

  EXPECT_DOUBLE_EQ(x[0], 1.5);
  EXPECT_DOUBLE_EQ(x[1], 1.0);
}

TEST(Hyperplane, OfAZeroDisplacementDoesNotExist) { EXPECT_FALSE(hyperplane_from({0.0, 0.0}, std::vector{1.0, 2.0})); }

TEST(HyperplanesFrom, KeepsClientOrderAndDropsZeros) {
  std::vector<LocalReply> replies{
      {ClientId{1}, {1.0, 0.0}, {}}, {ClientId{4}, {0.0, 0.0}, {}}, {ClientId{7}, {0.0, 2.0}, {}}};

  const auto planes = hyperplanes_from(replies, std::vector{0.0, 0.0});

  ASSERT_EQ(planes.size(), 2);
  EXPECT_EQ(planes[0].squared_norm, 1.0);
  EXPECT_EQ(planes[1].squared_norm, 4.0);
}

}  // namespace
}  // namespace fedrk

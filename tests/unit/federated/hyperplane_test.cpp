// SPDX-License-Identifier: Apache-2.0
#include "fedrk/federated/hyperplane.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace fedrk {
namespace {

TEST(Hyperplane, PassesThroughTheClientsEndPoint) {
  const std::vector<double> x{1.0, 2.0};

  const auto plane = hyperplane_from({ClientId{3}, {0.5, -1.0}}, x);

  EXPECT_DOUBLE_EQ(dot(plane->normal, std::vector{1.5, 1.0}), plane->offset);
}

TEST(Hyperplane, OneStepOntoItLandsOnTheClientsEndPoint) {
  std::vector<double> x{1.0, 2.0};
  const auto plane = hyperplane_from({ClientId{3}, {0.5, -1.0}}, x);

  project(plane->view(), x);

  EXPECT_DOUBLE_EQ(x[0], 1.5);
  EXPECT_DOUBLE_EQ(x[1], 1.0);
}

TEST(Hyperplane, OfAZeroDisplacementDoesNotExist) {
  EXPECT_FALSE(hyperplane_from({ClientId{0}, {0.0, 0.0}}, std::vector{1.0, 2.0}));
}

TEST(HyperplanesFrom, KeepsClientOrderAndDropsZeros) {
  RoundReplies round;
  round.replies = {{{ClientId{1}, {1.0, 0.0}}, {}}, {{ClientId{4}, {0.0, 0.0}}, {}}, {{ClientId{7}, {0.0, 2.0}}, {}}};

  const auto planes = hyperplanes_from(round, std::vector{0.0, 0.0});

  ASSERT_EQ(planes.size(), 2);
  EXPECT_EQ(planes[0].squared_norm, 1.0);
  EXPECT_EQ(planes[1].squared_norm, 4.0);
  EXPECT_EQ(round.replies.size(), 3);  // a client that had nothing to say still answered
}

TEST(HyperplanesFrom, CountsAClientThatSendsNonsenseAsAbsent) {
  RoundReplies round;
  round.replies = {{{ClientId{0}, {1.0, std::nan("")}}, {}},
                   {{ClientId{1}, {1.0}}, {}},
                   {{ClientId{2}, {1.0, 1.0}}, HUGE_VAL},
                   {{ClientId{3}, {1.0, 1.0}}, 1.0}};

  const auto planes = hyperplanes_from(round, std::vector{0.0, 0.0});

  EXPECT_EQ(planes.size(), 1);
  ASSERT_EQ(round.absences.size(), 3);
  EXPECT_EQ(round.absences[0].reason, "its update holds a number that is not finite");
  EXPECT_EQ(round.absences[1].reason, "its update has the wrong length");
  EXPECT_EQ(round.absences[2].client, ClientId{2});
}

}  // namespace
}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#include "linalg/random/rng_stream.hpp"

#include <cmath>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace fedrk {
namespace {

// Known answers of Philox4x32-10 (from the kat_vectors file of Random123): the zero counter under the zero key gives
// 6627e8d5 e169c58d bc57ac4c 9b00dbd8. Purpose 0 and round 0 make our counter zero.
TEST(RngStream, IsPhilox) {
  RngStream stream(0, static_cast<Purpose>(0));

  EXPECT_EQ(stream.next(), 0xe169c58d6627e8d5ULL);
  EXPECT_EQ(stream.next(), 0x9b00dbd8bc57ac4cULL);
}

TEST(RngStream, IsAFunctionOfSeedPurposeAndRoundAlone) {
  const auto first = [](std::uint64_t seed, Purpose purpose, std::uint32_t round) {
    return stream_for(seed, purpose, RoundIndex{round}).next();
  };

  const std::set<std::uint64_t> different{first(1, Purpose::LocalSteps, 0), first(2, Purpose::LocalSteps, 0),
                                          first(1, Purpose::ServerSteps, 0), first(1, Purpose::LocalSteps, 1)};

  EXPECT_EQ(different.size(), 4);
  EXPECT_EQ(first(1, Purpose::LocalSteps, 5), first(1, Purpose::LocalSteps, 5));
}

TEST(RngStream, DrawsBelowABoundEvenly) {
  RngStream stream = stream_for(3, Purpose::LocalSteps);
  std::vector<int> counts(7, 0);

  for (int k = 0; k < 70000; ++k) ++counts[stream.below(7)];

  // Each count is binomial with mean 10000 and standard deviation 93; five of them leave room for 1 in 10^6.
  for (const int count : counts) EXPECT_NEAR(count, 10000, 465);
  EXPECT_EQ(stream.below(1), 0);
}

TEST(RngStream, GaussianHasTheRightMoments) {
  RngStream stream = stream_for(4, Purpose::GeneratedMatrix);
  const int n = 200000;
  double sum = 0.0, squares = 0.0, fourths = 0.0;

  for (int k = 0; k < n; ++k) {
    const double g = stream.gaussian();
    sum += g;
    squares += g * g;
    fourths += g * g * g * g;
  }

  // Standard deviations of the three means: 1/sqrt(n), sqrt(2/n), sqrt(96/n); five of each.
  EXPECT_NEAR(sum / n, 0.0, 5.0 / std::sqrt(n));
  EXPECT_NEAR(squares / n, 1.0, 5.0 * std::sqrt(2.0 / n));
  EXPECT_NEAR(fourths / n, 3.0, 5.0 * std::sqrt(96.0 / n));
}

TEST(RngStream, UniformStaysBelowOne) {
  RngStream stream = stream_for(5, Purpose::LocalSteps);
  for (int k = 0; k < 10000; ++k) {
    const double u = stream.uniform();
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
  }
}

TEST(ClientSeed, DiffersByNameAndBySeed) {
  const std::set<std::uint64_t> seeds{client_seed(1, "a"), client_seed(1, "b"), client_seed(2, "a"),
                                      client_seed(1, "")};

  EXPECT_EQ(seeds.size(), 4);
  EXPECT_EQ(client_seed(1, "a"), client_seed(1, "a"));
}

}  // namespace
}  // namespace fedrk

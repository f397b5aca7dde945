// SPDX-License-Identifier: Apache-2.0
#include "fedrk/methods/anderson.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

// c -> M (c - p) + p with M = Q diag(0.1 .. 0.95) Q, Q the reflection at a random plane: the fixed point is p.
struct LinearMap {
  std::vector<double> fixed_point, mirror;

  LinearMap(std::size_t size, std::uint64_t seed)
      : fixed_point(test::gaussian_vector(size, seed)), mirror(test::gaussian_vector(size, seed + 50)) {}

  void reflect(std::vector<double>& v) const { axpy(-2.0 * dot(mirror, v) / squared_norm(mirror), mirror, v); }
  std::vector<double> operator()(std::vector<double> c) const {
    axpy(-1.0, fixed_point, c);
    reflect(c);
    for (std::size_t j = 0; j < c.size(); ++j) {
      c[j] *= 0.1 + 0.85 * static_cast<double>(j) / static_cast<double>(c.size());
    }
    reflect(c);
    axpy(1.0, fixed_point, c);
    return c;
  }
};

// With k + 1 points whose residuals span R^k, some affine combination of the residuals is zero, and the same
// combination of the images is the fixed point. The residuals get close to dependent: 1e-8 of the start is what is
// left.
TEST(Anderson, SolvesALinearMapInKDimensionsFromKPlusOnePoints) {
  for (const std::size_t k : {1U, 2U, 4U}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const LinearMap map(k, seed);
      Anderson anderson(k);
      std::vector<double> point(k, 0.0);
      for (std::size_t step = 0; step <= k; ++step) point = anderson.next(point, map(point));

      EXPECT_LT(test::relative_distance(point, map.fixed_point), 1e-8) << "k " << k << ", seed " << seed;
    }
  }
}

TEST(Anderson, OfDepthZeroIsPlainIteration) {
  const LinearMap map(6, 2);
  Anderson anderson(0);
  std::vector<double> point(6, 0.0);
  for (int step = 0; step < 20; ++step) {
    const auto image = map(point);
    point = anderson.next(point, image);
    EXPECT_EQ(point, image);
  }
}

// The rate of plain iteration is 0.95 - 0.85/30 here: 25 steps leave about 0.15.
TEST(Anderson, OfLessDepthThanDimensionsIsStillMuchFaster) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const LinearMap map(30, seed);
    Anderson anderson(6);
    std::vector<double> point(30, 0.0), plain = point;
    for (int step = 0; step < 25; ++step) {
      point = anderson.next(point, map(point));
      plain = map(plain);
    }
    EXPECT_LT(test::relative_distance(point, map.fixed_point), 0.1 * test::relative_distance(plain, map.fixed_point))
        << "seed " << seed;
  }
}

TEST(Anderson, StaysAtAFixedPointItHasReached) {
  const LinearMap map(3, 1);
  Anderson anderson(6);
  std::vector<double> point(3, 0.0);
  for (int step = 0; step < 200; ++step) {
    point = anderson.next(point, map(point));
    if (step > 6) {
      EXPECT_LT(test::relative_distance(point, map.fixed_point), 1e-7) << step;
    }
  }
}

}  // namespace
}  // namespace fedrk

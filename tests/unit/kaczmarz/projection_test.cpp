// SPDX-License-Identifier: Apache-2.0
#include "kaczmarz/projection.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

using DensePlane = HyperplaneView<std::span<const double>>;

TEST(Projection, LandsOnTheNearestPointOfTheHyperplane) {
  const std::vector<double> normal{3.0, 4.0};
  std::vector<double> x{1.0, 1.0};

  project(DensePlane{normal, 32.0, 25.0}, x);  // (32 - 7)/25 = 1 times the normal

  EXPECT_EQ(x, (std::vector{4.0, 5.0}));
}

TEST(Projection, TwiceChangesNothing) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto normal = test::gaussian_vector(50, seed);
    auto once = test::gaussian_vector(50, seed + 100);
    const DensePlane plane{normal, 3.0, squared_norm(normal)};
    project(plane, once);
    auto twice = once;

    project(plane, twice);

    EXPECT_LT(distance(once, twice), 1e-14);  // rounding of one inner product
  }
}

TEST(Projection, OnASparseRowTouchesItsNonZerosOnly) {
  const std::vector<std::uint32_t> columns{1};
  const std::vector<double> values{2.0};
  std::vector<double> x{5.0, 5.0, 5.0};

  project(HyperplaneView<SparseRow>{{columns, values}, 4.0, 4.0}, x);

  EXPECT_EQ(x, (std::vector{5.0, 2.0, 5.0}));
}

TEST(Projection, NeverLeadsAwayFromASolution) {
  const auto problem = generate({.rows = 40, .cols = 20, .seed = 3});
  const auto& matrix = std::get<Matrix>(problem.system.rows);
  auto x = test::gaussian_vector(20, 4);

  for (std::size_t i = 0; i < 40; ++i) {
    const double before = distance(x, problem.solution);
    project(DensePlane{matrix.row(i), problem.system.rhs[i], squared_norm(matrix.row(i))}, x);
    EXPECT_LE(distance(x, problem.solution), before * (1.0 + 1e-14));
  }
}

}  // namespace
}  // namespace fedrk

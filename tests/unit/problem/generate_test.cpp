// SPDX-License-Identifier: Apache-2.0
#include "fedrk/generate.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "fedrk/error.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

TEST(Generate, GaussianProblemsAreConsistentAndRepeatBySeed) {
  const auto one = generate({.rows = 30, .cols = 10, .seed = 1});
  const auto again = generate({.rows = 30, .cols = 10, .seed = 1});
  const auto two = generate({.rows = 30, .cols = 10, .seed = 2});

  EXPECT_EQ(squared_residual(one.system, one.solution), 0.0);
  EXPECT_EQ(one.system.rhs, again.system.rhs);
  EXPECT_NE(one.system.rhs, two.system.rhs);
}

TEST(Generate, SparseSolutionsHaveTheNonZerosAskedFor) {
  const auto problem = generate({.kind = ProblemKind::Sparse, .rows = 20, .cols = 50, .nonzeros = 9, .noise = 0.01});

  EXPECT_EQ(std::ranges::count_if(problem.solution, [](double v) { return v != 0.0; }), 9);
  const double squares = squared_residual(problem.system, problem.solution);
  EXPECT_NEAR(squares / 20.0, 1e-4, 1.6e-4);  // the noise: chi squared of 20, mean 1e-4; five standard deviations up
  EXPECT_GT(squares, 0.0);
}

TEST(Generate, HeterogeneousClientsDoubleInSizeAndGrowInScale) {
  const auto problem = generate({.kind = ProblemKind::Heterogeneous, .rows = 100, .cols = 5, .clients = 3});

  EXPECT_EQ(problem.rows_of_client, (std::vector<std::size_t>{100, 200, 400}));
  const auto rows = test::written_out(problem.system.rows);
  double first = 0.0, last = 0.0;
  for (std::size_t i = 0; i < 100; ++i) first += squared_norm(rows[i]) / 500;
  for (std::size_t i = 300; i < 700; ++i) last += squared_norm(rows[i]) / 2000;
  EXPECT_NEAR(first, 1.0, 0.32);  // five standard deviations of chi squared of 500
  EXPECT_NEAR(last, 9.0, 9 * 0.16);
}

TEST(Generate, SparseMatricesHaveTheDensityAskedFor) {
  const auto problem = generate({.rows = 10, .cols = 100, .density = 0.05});

  EXPECT_EQ(std::get<SparseMatrix>(problem.system.rows).nonzeros(), 50);
  EXPECT_EQ(squared_residual(problem.system, problem.solution), 0.0);
}

TEST(Generate, RefusesImpossibleRequests) {
  EXPECT_THROW(generate({.rows = 0}), InvalidArgument);
  EXPECT_THROW(generate({.rows = 2, .cols = 2, .clients = 3}), InvalidArgument);
  EXPECT_THROW(generate({.kind = ProblemKind::Sparse, .rows = 2, .cols = 2, .nonzeros = 3}), InvalidArgument);
  EXPECT_THROW(generate({.rows = 2, .cols = 2, .noise = -1.0}), InvalidArgument);
  EXPECT_THROW(generate({.rows = 2, .cols = 2, .density = 0.0}), InvalidArgument);
}

}  // namespace
}  // namespace fedrk

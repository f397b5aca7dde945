// SPDX-License-Identifier: Apache-2.0
#include "fedrk/federated/client.hpp"

#include <gtest/gtest.h>

#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

Client client_with(LinearSystem system, std::uint64_t seed = 1) {
  return {ClientId{2}, "site", RowBlock(std::move(system)), seed};
}

TEST(Client, AnswersTheSameTaskTheSameWay) {
  const auto problem = generate({.rows = 20, .cols = 10});
  Client client = client_with(test::copy_of(problem.system));
  const std::vector<double> x(10, 0.5);
  const LocalTask task{RoundIndex{7}, x, FixedSteps{30}, true};

  const auto first = client.local_update(task), again = client.local_update(task);
  const auto next_round = client.local_update({RoundIndex{8}, x, FixedSteps{30}, true});

  EXPECT_EQ(first.values, again.values);
  EXPECT_NE(first.values, next_round.values);
  EXPECT_EQ(first.client, ClientId{2});
  EXPECT_DOUBLE_EQ(*first.squared_residual, squared_residual(problem.system, x));
}

TEST(Client, EndsItsStepsOnTheHyperplaneOfARow) {
  const auto problem = generate({.rows = 5, .cols = 10});
  Client client = client_with(test::copy_of(problem.system));
  std::vector<double> x(10, 0.0);

  const auto reply = client.local_update({RoundIndex{0}, x, FixedSteps{1}, false});

  const auto& matrix = std::get<Matrix>(problem.system.rows);
  int on = 0;
  for (std::size_t i = 0; i < 5; ++i) {
    on += std::abs(dot(matrix.row(i), reply.values) - problem.system.rhs[i]) < 1e-12 ? 1 : 0;
  }
  EXPECT_EQ(on, 1);
  EXPECT_FALSE(reply.squared_residual);
}

TEST(Client, WithManyStepsApproachesTheExactProjection) {
  for (const double density : {1.0, 0.4}) {
    const auto problem = generate({.rows = 8, .cols = 20, .density = density, .seed = 5});
    Client client = client_with(test::copy_of(problem.system));
    const auto x = test::gaussian_vector(20, 6);

    const auto steps = client.local_update({RoundIndex{0}, x, FixedSteps{20000}, false});
    const auto exact = client.local_update({RoundIndex{0}, x, UntilProjected{}, false});

    EXPECT_LT(distance(steps.values, exact.values), 1e-9);
  }
}

TEST(Client, TakesTheSameStepsOnSparseAndDenseRows) {
  const auto problem = generate({.rows = 20, .cols = 15, .density = 0.3, .seed = 8});
  Matrix dense(20, 15);
  for (std::size_t i = 0; i < 20; ++i) axpy(1.0, std::get<SparseMatrix>(problem.system.rows).row(i), dense.row(i));
  Client of_sparse = client_with(test::copy_of(problem.system));
  Client of_dense = client_with({std::move(dense), problem.system.rhs});
  const std::vector<double> x(15, 0.0);

  const auto one = of_sparse.local_update({RoundIndex{1}, x, FixedSteps{100}, true});
  const auto two = of_dense.local_update({RoundIndex{1}, x, FixedSteps{100}, true});

  // The sums run in another order, hence rounding.
  EXPECT_LT(distance(one.values, two.values), 1e-12);
  EXPECT_NEAR(*one.squared_residual, *two.squared_residual, 1e-11);
}

TEST(Client, AskedForNoStepsOnlyMeasures) {
  Client client = client_with({Matrix{{1.0}}, {3.0}});
  const std::vector<double> x{1.0};

  const auto reply = client.local_update({RoundIndex{0}, x, FixedSteps{0}, true});

  EXPECT_TRUE(reply.values.empty());
  EXPECT_EQ(reply.squared_residual, 4.0);
}

TEST(Client, LeavesNoiseColumnsOutOfTheResidual) {
  Client client = client_with({Matrix{{1.0, 10.0}}, {3.0}});
  const std::vector<double> x{1.0, 0.2};

  const auto reply = client.local_update({RoundIndex{0}, x, FixedSteps{0}, true, 1});

  EXPECT_EQ(reply.squared_residual, 4.0);  // (3 - 1)^2, not (3 - 1 - 2)^2
}

TEST(Client, StaysOutOfTroubleWithRowsOfExtremeLength) {
  Client client = client_with({Matrix{{1e200, 1e200}, {1e-200, -1e-200}}, {2e200, 0.0}});
  const std::vector<double> x{0.0, 0.0};

  const auto steps = client.local_update({RoundIndex{0}, x, FixedSteps{200}, true});
  const auto exact = client.local_update({RoundIndex{0}, x, UntilProjected{}, true});

  for (const auto& reply : {steps, exact}) {
    EXPECT_NEAR(reply.values[0], 1.0, 1e-12);
    EXPECT_NEAR(reply.values[1], 1.0, 1e-12);
  }
}

}  // namespace
}  // namespace fedrk

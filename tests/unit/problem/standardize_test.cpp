// SPDX-License-Identifier: Apache-2.0
#include "problem/standardize.hpp"

#include <gtest/gtest.h>

#include "fedrk/error.hpp"
#include "problem/partition.hpp"
#include "support/direct_solver.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

TEST(Standardize, GivesEveryColumnMeanZeroAndUnitVarianceOverAllClients) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    auto problem = generate({.rows = 60, .cols = 4, .seed = seed});
    auto& matrix = std::get<Matrix>(problem.system.rows);
    for (std::size_t i = 0; i < 60; ++i)
      matrix.row(i)[1] = 1e6 + 1e-2 * matrix.row(i)[1];  // far from zero, little spread
    add_intercept(problem.system);
    auto clients = split(std::move(problem.system), partition_contiguous(60, 7));

    standardize(clients, Centring::ByMean, 1);

    std::vector<double> sums(5, 0.0), squares(5, 0.0);
    for (const auto& client : clients) {
      for (const auto& row : test::written_out(client.rows)) {
        EXPECT_EQ(row[0], 1.0);
        for (std::size_t j = 0; j < 5; ++j) {
          sums[j] += row[j];
          squares[j] += row[j] * row[j];
        }
      }
    }
    for (std::size_t j = 1; j < 5; ++j) {
      // Column 2 (the second feature) loses eight digits to its mean before anything is computed.
      EXPECT_NEAR(sums[j] / 60, 0.0, j == 2 ? 1e-7 : 1e-14);
      EXPECT_NEAR(squares[j] / 60, 1.0, 1e-10);
    }
  }
}

TEST(Standardize, TellsTheCoefficientsInTheUnitsOfTheDataToo) {
  // y = 7 + 2 u - 3 v, solved in standardised units, must come back.
  const auto u = test::gaussian_vector(30, 1), v = test::gaussian_vector(30, 2);
  LinearSystem system{Matrix(30, 2), std::vector<double>(30)};
  for (std::size_t i = 0; i < 30; ++i) {
    auto row = std::get<Matrix>(system.rows).row(i);
    row[0] = 100.0 + 5.0 * u[i];
    row[1] = -3.0 + 0.1 * v[i];
    system.rhs[i] = 7.0 + 2.0 * row[0] - 3.0 * row[1];
  }
  add_intercept(system);
  std::vector<LinearSystem> clients;
  clients.push_back(std::move(system));

  const Scaling scaling = standardize(clients, Centring::ByMean, 1);
  const auto x = test::least_squares(clients[0]);
  const auto coefficients = in_data_units(scaling, x, 1);

  EXPECT_NEAR(coefficients[0], 7.0, 1e-10);
  EXPECT_NEAR(coefficients[1], 2.0, 1e-12);
  EXPECT_NEAR(coefficients[2], -3.0, 1e-11);
}

TEST(Standardize, LeavesAConstantColumnAtZeroAndItsCoefficientFinite) {
  std::vector<LinearSystem> clients;
  clients.push_back({Matrix{{1.0, 0.1}, {1.0, 0.1}, {1.0, 0.1}}, {1.0, 2.0, 3.0}});

  const Scaling scaling = standardize(clients, Centring::ByMean, 1);

  EXPECT_EQ(scaling.scale[1], 0.0);
  EXPECT_EQ(std::get<Matrix>(clients[0].rows).row(0)[1], 0.0);
  EXPECT_EQ(in_data_units(scaling, std::vector{2.0, 5.0}, 1), (std::vector{2.0, 0.0}));
}

TEST(Standardize, OnlyScalesSparseRowsAndThoseWithoutAnIntercept) {
  std::vector<LinearSystem> sparse, dense;
  sparse.push_back({SparseMatrix(2, 1, {{0, 0, 3.0}}), {1.0, 1.0}});
  dense.push_back({Matrix{{3.0}, {4.0}}, {1.0, 1.0}});

  const Scaling of_sparse = standardize(sparse, Centring::ByMean, 0);
  const Scaling of_dense = standardize(dense, Centring::None, 0);

  EXPECT_EQ(of_sparse.centre[0], 0.0);
  EXPECT_NEAR(of_sparse.scale[0], 3.0 / std::sqrt(2.0), 1e-15);
  EXPECT_EQ(of_dense.centre[0], 0.0);
  EXPECT_NEAR(std::get<Matrix>(dense[0].rows).row(1)[0], 4.0 / std::sqrt(12.5), 1e-15);
}

TEST(Standardize, RefusesAColumnThatCannotBeSquared) {
  std::vector<LinearSystem> clients;
  clients.push_back({Matrix{{1e200}, {-1e200}}, {1.0, 1.0}});

  EXPECT_THROW(standardize(clients, Centring::ByMean, 0), InvalidArgument);
}

}  // namespace
}  // namespace fedrk

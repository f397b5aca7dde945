// SPDX-License-Identifier: Apache-2.0
#include "analysis/lasso.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "data/dataset.hpp"
#include "problem/standardize.hpp"
#include "support/direct_solver.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

// The prostate data with an intercept and standardised features.
LinearSystem prostate() {
  auto data = io::read_table(FEDRK_SOURCE "/data/prostate.csv",
                             {.target = "lpsa", .ignore = {}, .group_by = "", .margins = {}});
  std::vector<LinearSystem> clients;
  clients.push_back(std::move(data->system));
  add_intercept(clients[0]);
  (void)standardize(clients, Centring::ByMean, 1);
  return std::move(clients[0]);
}

struct Known {
  double lambda;
  std::vector<double> coefficients;  // lcavol, lweight, age, lbph, svi, lcp, gleason, pgg45
};

// scikit-learn 1.2.1, linear_model.Lasso(alpha=lambda, fit_intercept=False, tol=1e-15, max_iter=1000000), on the
// features (x - mean)/std (divisor 97) and lpsa minus its mean.
const std::vector<Known> kScikitLearn{
    {0.01,
     {0.6335370779992519, 0.25596320663299266, -0.12819572252097566, 0.1250131246789877, 0.2853400058983951,
      -0.08038183127295685, 0.024844452969599553, 0.09984419851049563}},
    {0.05,
     {0.5871866131017522, 0.22053654212431695, -0.03054353090930928, 0.0697208348637473, 0.23537842226126499, 0.0, 0.0,
      0.051904675042735784}},
    {0.1,
     {0.5678109148079551, 0.1948395382013858, 0.0, 0.02070889096726993, 0.2056610140923029, 0.0, 0.0,
      0.02207779003987078}},
    {0.2, {0.529759560085316, 0.1264502285056656, 0.0, 0.0, 0.1451175930147178, 0.0, 0.0, 0.0}},
    {0.3, {0.486349792542015, 0.048653084869687564, 0.0, 0.0, 0.08059723160716553, 0.0, 0.0, 0.0}},
    {0.5, {0.34342743604947573, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0}},
};

TEST(Lasso, AgreesWithScikitLearnOnTheProstateData) {
  const Lasso lasso(prostate(), {.fixed = 1});
  for (const Known& known : kScikitLearn) {
    std::vector<double> x(9, 0.0);

    lasso.solve(known.lambda, x);

    EXPECT_NEAR(x[0], 2.478386878, 1e-8);  // the mean of lpsa
    for (std::size_t j = 0; j < 8; ++j) {
      EXPECT_NEAR(x[j + 1], known.coefficients[j], 1e-9) << "lambda " << known.lambda << " column " << j;
      EXPECT_EQ(x[j + 1] == 0.0, known.coefficients[j] == 0.0);
    }
  }
}

TEST(Lasso, MeetsItsConditionsOfOptimality) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto problem =
        generate({.kind = ProblemKind::Sparse, .rows = 60, .cols = 100, .nonzeros = 5, .noise = 0.1, .seed = seed});
    const double lambda = 0.05;
    std::vector<double> x(100, 0.0);

    Lasso(problem.system).solve(lambda, x);

    // <a_j, r>/m = lambda sign(x_j) where x_j is not zero, and at most lambda in size where it is.
    std::vector<double> gradient(100, 0.0);
    const auto& rows = std::get<Matrix>(problem.system.rows);
    for (std::size_t i = 0; i < 60; ++i)
      axpy((problem.system.rhs[i] - dot(rows.row(i), x)) / 60.0, rows.row(i), gradient);
    for (std::size_t j = 0; j < 100; ++j) {
      if (x[j] != 0.0) {
        EXPECT_NEAR(gradient[j], std::copysign(lambda, x[j]), 1e-10);
      } else {
        EXPECT_LE(std::abs(gradient[j]), lambda + 1e-10);
      }
    }
  }
}

TEST(Lasso, WithoutAPenaltyIsLeastSquares) {
  for (const double density : {1.0, 0.5}) {
    const auto problem = generate({.kind = ProblemKind::Inconsistent, .rows = 40, .cols = 6, .density = density});
    std::vector<double> x(6, 0.0);

    Lasso(problem.system).solve(0.0, x);

    EXPECT_LT(test::relative_distance(x, test::least_squares(problem.system)), 1e-9);
  }
}

TEST(LassoPath, StartsWhereEverythingIsZeroAndFallsFromThere) {
  const Lasso lasso(prostate(), {.fixed = 1});
  std::vector<double> x(9, 0.0);
  lasso.solve(0.999 * lasso.largest_lambda(), x);

  const LassoPath path = lasso_path(lasso, 9, 30, 1e-3);

  EXPECT_EQ(std::ranges::count_if(path.solutions.front(), [](double v) { return v != 0.0; }), 1);  // the intercept
  EXPECT_EQ(std::ranges::count_if(x, [](double v) { return v != 0.0; }), 2);                       // and lcavol
  EXPECT_NE(x[1], 0.0);
  EXPECT_TRUE(std::ranges::is_sorted(path.lambdas, std::ranges::greater{}));
  std::vector<double> alone(9, 0.0);
  lasso.solve(path.lambdas[20], alone);
  EXPECT_LT(test::relative_distance(path.solutions[20], alone), 1e-9);  // a warm start ends at the same point
}

}  // namespace
}  // namespace fedrk

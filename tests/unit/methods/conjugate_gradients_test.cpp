// SPDX-License-Identifier: Apache-2.0
#include "methods/conjugate_gradients.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "fedrk/run.hpp"
#include "linalg/kernels.hpp"
#include "support/direct_solver.hpp"
#include "support/scripted_engine.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

LinearSystem noisy(std::uint64_t seed, std::size_t rows = 120, std::size_t cols = 20) {
  return generate({.kind = ProblemKind::Inconsistent, .rows = rows, .cols = cols, .seed = seed}).system;
}

RunResult run(Engine& engine, FitOptions options, std::size_t participants, std::uint64_t seed,
              std::vector<double> start = {}) {
  ConjugateGradients method(std::move(options), engine.roster());
  return FederatedRun({.seed = seed, .rounds = 1000, .participants = participants})
      .run(engine, method, std::move(start));
}

// Eigen's decomposition is the truth. In exact arithmetic 20 unknowns take 20 products; the gradients before and after
// are two more sweeps, and a sweep over three groups is three rounds.
TEST(ConjugateGradients, ReachLeastSquaresWhoeverTakesPart) {
  for (const std::size_t participants : {0U, 2U, 1U}) {
    const std::size_t groups = participants == 0 ? 1 : 6 / participants;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const LinearSystem system = noisy(seed);
      InProcessEngine engine(test::clients_of(copy_of(system), 6, seed), 1);

      const auto result = run(engine, {.tolerance = 1e-12}, participants, seed);

      EXPECT_EQ(result.termination, Termination::Converged);
      EXPECT_TRUE(result.converged.value_or(false));
      EXPECT_LE(*result.criterion, 1e-12);
      EXPECT_LT(test::relative_distance(result.x, test::least_squares(system)), 1e-11) << "seed " << seed;
      EXPECT_LE(result.history.size(), 22 * groups);
    }
  }
}

// ||A (x - truth)|| / ||b - A truth||: in the residual standard errors of all fitted values together.
double misfit(const LinearSystem& system, std::span<const double> x, std::span<const double> truth) {
  const auto& matrix = std::get<Matrix>(system.rows);
  double squared = 0.0, residual = 0.0;
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    const double fitted = dot(matrix.row(i), truth);
    squared += std::pow(dot(matrix.row(i), x) - fitted, 2);
    residual += std::pow(system.rhs[i] - fitted, 2);
  }
  return std::sqrt(squared / residual);
}

// Columns 2 and 7 differ by noise of relative size 10^-digits.
void make_collinear(LinearSystem& system, int digits, std::uint64_t seed) {
  auto& matrix = std::get<Matrix>(system.rows);
  const auto noise = test::gaussian_vector(matrix.rows(), seed + 100);
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    matrix.row(i)[7] = matrix.row(i)[2] + std::pow(10.0, -digits) * noise[i];
  }
}

// The residual has a part that the difference of the two columns would take off. The truth is Eigen's decomposition,
// whose fitted values are exact to rounding at any condition number. The bound is that of the criterion where the
// gradient is rounding, 1e-3, doubled.
TEST(ConjugateGradients, AreRightOfNearlyCollinearColumnsOrSayThatTheyAreNot) {
  for (const int digits : {4, 6, 8, 10}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      LinearSystem system = noisy(seed);
      make_collinear(system, digits, seed);
      const auto truth = test::least_squares(system);
      InProcessEngine engine(test::clients_of(copy_of(system), 6, seed), 1);

      const auto result = run(engine, {}, 2, seed);

      const bool right = misfit(system, result.x, truth) < 2e-3;
      EXPECT_TRUE(right || !result.converged.value_or(true)) << digits << " digits, seed " << seed;
      EXPECT_TRUE(digits > 4 || (right && *result.converged)) << "seed " << seed;
    }
  }
}

// Without noise the residual ends as rounding, to which no gradient is orthogonal. Coefficients are then right to the
// eight digits that the criterion promises, or said not to be; with independent columns they are right.
TEST(ConjugateGradients, AreRightOfDataWithoutNoiseOrSayThatTheyAreNot) {
  for (const int digits : {0, 2, 4, 6}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      LinearSystem system = noisy(seed, 300, 100);
      make_collinear(system, digits, seed);
      const auto truth = test::gaussian_vector(100, seed + 200);
      for (std::size_t i = 0; i < 300; ++i) system.rhs[i] = dot(std::get<Matrix>(system.rows).row(i), truth);
      InProcessEngine engine(test::clients_of(std::move(system), 6, seed), 1);

      const auto result = run(engine, {}, 2, seed);

      const bool right = test::relative_distance(result.x, truth) < 1e-7;
      EXPECT_TRUE(right || !result.converged.value_or(true)) << digits << " digits, seed " << seed;
      EXPECT_TRUE(digits > 0 || (right && *result.converged)) << "seed " << seed;
    }
  }
}

TEST(ConjugateGradients, ReachRidgeSolutionsAroundTheirStart) {
  for (const double lambda : {0.01, 1.0, 1e4}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const LinearSystem system = noisy(seed);
      const auto start = test::gaussian_vector(20, seed);
      InProcessEngine engine(test::clients_of(copy_of(system), 6, seed), 1);

      const auto result =
          run(engine, {.tolerance = 1e-12, .penalty = ridge_penalty(lambda, false, {}, 20)}, 2, seed, start);

      EXPECT_TRUE(result.converged.value_or(false));
      EXPECT_LT(test::relative_distance(result.x, test::ridge_solution(system, lambda, start)), 1e-10)
          << "lambda " << lambda << ", seed " << seed;
    }
  }
}

TEST(ConjugateGradients, FindTheSolutionNearestToTheStartWhereThereAreMany) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const auto problem = generate({.rows = 30, .cols = 60, .seed = seed});
    const auto start = test::gaussian_vector(60, seed);
    InProcessEngine engine(test::clients_of(copy_of(problem.system), 6, seed), 1);

    const auto result = run(engine, {.tolerance = 1e-10}, 0, seed, start);

    EXPECT_TRUE(result.converged.value_or(false));
    EXPECT_LT(test::relative_distance(result.x, test::nearest_solution(problem.system, start)), 1e-9);
  }
}

// Client 2 is away whenever it is asked first, and there when its group is asked again.
TEST(ConjugateGradients, WaitForAClientThatIsLate) {
  const LinearSystem system = noisy(3);
  InProcessEngine inner(test::clients_of(copy_of(system), 6, 3), 1);
  bool away = false;
  test::LossyEngine engine(inner, [&](RoundIndex, ClientId client) { return client.value == 2 && (away = !away); });

  const auto result = run(engine, {.tolerance = 1e-12}, 2, 3);

  EXPECT_TRUE(result.left_out.empty());
  EXPECT_LT(test::relative_distance(result.x, test::least_squares(system)), 1e-11);
}

// From round 20 on client 4 never answers: the fit begins anew, and is that of the other rows.
TEST(ConjugateGradients, FitTheOthersWhereAClientStaysAway) {
  for (const std::size_t participants : {0U, 2U}) {
    const LinearSystem system = noisy(4);
    InProcessEngine inner(test::clients_of(copy_of(system), 6, 4), 1);
    test::LossyEngine engine(inner, [](RoundIndex t, ClientId client) { return client.value == 4 && t.value >= 20; });
    LinearSystem others{Matrix(100, 20), {}};
    for (std::size_t i = 0, k = 0; i < 120; ++i) {
      if (i / 20 == 4) continue;
      std::ranges::copy(std::get<Matrix>(system.rows).row(i), std::get<Matrix>(others.rows).row(k++).begin());
      others.rhs.push_back(system.rhs[i]);
    }

    const auto result = run(engine, {.tolerance = 1e-12}, participants, 4);

    EXPECT_EQ(result.left_out, std::vector{ClientId{4}});
    EXPECT_TRUE(result.converged.value_or(false));
    EXPECT_LT(test::relative_distance(result.x, test::least_squares(others)), 1e-11) << participants;
  }
}

TEST(ConjugateGradients, SayThatTheyHaveNotConvergedWhereTheRoundsDoNotSuffice) {
  const LinearSystem system = noisy(1);
  InProcessEngine engine(test::clients_of(copy_of(system), 6, 1), 1);
  ConjugateGradients method({}, engine.roster());

  const auto result = FederatedRun({.rounds = 5}).run(engine, method);

  EXPECT_EQ(result.termination, Termination::RoundLimit);
  EXPECT_FALSE(result.converged.value_or(true));
  EXPECT_LE(result.relative_residual.value_or(2.0), 1.0);  // no worse than zero
}

TEST(ConjugateGradients, StayAtASolution) {
  const auto problem = generate({.rows = 60, .cols = 10, .seed = 2});
  InProcessEngine engine(test::clients_of(copy_of(problem.system), 3, 1), 1);

  const auto result = run(engine, {}, 0, 1, problem.solution);

  EXPECT_TRUE(result.converged.value_or(false));
  EXPECT_EQ(result.history.size(), 1);
  EXPECT_EQ(result.x, problem.solution);
}

}  // namespace
}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#include "kaczmarz/randomized_kaczmarz.hpp"

#include <gtest/gtest.h>

#include "analysis/survey.hpp"
#include "fedrk/row_block.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

// The theorem: E||x_k - x*||^2 <= alpha^k ||x_0 - x*||^2 for every row distribution.
TEST(RandomizedKaczmarz, StaysBelowItsBoundInTheMean) {
  const int trials = 400;
  for (const RowSampling sampling : {RowSampling::SquaredNorm, RowSampling::Uniform}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      auto problem = generate({.rows = 60, .cols = 10, .seed = seed});
      auto& matrix = std::get<Matrix>(problem.system.rows);
      for (std::size_t i = 0; i < 60; ++i) {  // rows of different length, so that the two distributions differ
        const double scale = 1.0 + static_cast<double>(i % 5);
        for (double& value : matrix.row(i)) value *= scale;
        problem.system.rhs[i] *= scale;
      }
      const double alpha = kaczmarz_rate(problem.system.rows, sampling);
      const RowBlock block(std::move(problem.system));
      const EquationRows equations{std::get<Matrix>(block.system().rows), block.system().rhs, block.squared_norms()};
      const auto sampler = RowSampler::make(sampling, block.squared_norms());

      for (const std::uint64_t steps : {20U, 100U, 300U}) {
        double mean = 0.0;
        for (std::uint32_t trial = 0; trial < trials; ++trial) {
          std::vector<double> x(10, 0.0);
          randomized_kaczmarz(equations, sampler, steps, stream_for(seed, Purpose::LocalSteps, RoundIndex{trial}), x);
          mean += std::pow(distance(x, problem.solution), 2) / trials;
        }
        const double bound = std::pow(alpha, static_cast<double>(steps)) * squared_norm(problem.solution);

        // The bound takes the worst direction at every step, so the mean lies clearly below it, by more than the
        // scatter of 400 trials.
        EXPECT_LT(mean, bound) << "steps " << steps << " seed " << seed;
      }
    }
  }
}

// The loop works ahead; its steps must still be the projections, one after another.
TEST(RandomizedKaczmarz, GivesTheBitsOfOneProjectionAfterAnother) {
  for (const double density : {1.0, 0.3}) {
    for (const std::size_t cols : {1U, 7U, 8U, 9U, 1023U, 1025U}) {
      auto problem = generate({.rows = 20, .cols = cols, .density = density, .seed = 3});
      const RowBlock block(std::move(problem.system));
      const auto sampler = RowSampler::make(RowSampling::SquaredNorm, block.squared_norms());
      for (const std::uint64_t steps : {0U, 1U, 2U, 3U, 200U}) {
        std::visit(
            [&](const auto& matrix) {
              const EquationRows equations{matrix, block.system().rhs, block.squared_norms()};
              auto x = test::gaussian_vector(cols, 1), y = x;
              const auto start = x;
              const RngStream draws = stream_for(4, Purpose::LocalSteps);

              randomized_kaczmarz(equations, sampler, steps, draws, x);

              RngStream stream = draws;
              for (std::uint64_t k = 0; k < steps; ++k) project(equations(sampler.draw(stream)), y);
              EXPECT_EQ(x, y) << cols << " columns, " << steps << " steps";
              axpy(-1.0, start, y);
              const auto moved = kaczmarz_displacement(equations, sampler, steps, draws, start);
              // One step is not added to x and taken from it again: it keeps the digits that this costs.
              const double rounding = steps == 1 ? 1e-14 : 0.0;
              EXPECT_LE(distance(moved, y), rounding) << cols << " columns, " << steps << " steps";
            },
            block.system().rows);
      }
    }
  }
}

TEST(RandomizedKaczmarz, DrawsTheRowsItIsToldTo) {
  // With x = 0 and orthogonal rows, the entries that become non-zero show which rows were used.
  const RowBlock block({Matrix{{1.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 2.0}}, {1.0, 0.0, 2.0}});
  const EquationRows equations{std::get<Matrix>(block.system().rows), block.system().rhs, block.squared_norms()};
  std::vector<double> x(3, 0.0);

  randomized_kaczmarz(equations, RowSampler::weighted(block.squared_norms()), 50, stream_for(1, Purpose::LocalSteps),
                      x);

  EXPECT_EQ(x, (std::vector{1.0, 0.0, 1.0}));
}

TEST(RandomizedKaczmarz, StaysPutWithoutRows) {
  const RowBlock block({Matrix(2, 2), {0.0, 0.0}});
  const EquationRows equations{std::get<Matrix>(block.system().rows), block.system().rhs, block.squared_norms()};
  std::vector<double> x{1.0, 2.0};

  randomized_kaczmarz(equations, RowSampler::weighted(block.squared_norms()), 50, stream_for(1, Purpose::LocalSteps),
                      x);

  EXPECT_EQ(x, (std::vector{1.0, 2.0}));
}

}  // namespace
}  // namespace fedrk

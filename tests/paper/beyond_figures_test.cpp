// SPDX-License-Identifier: Apache-2.0

// What the methods beyond the paper reach at the size of its figures, as medians over five seeds. The bounds are what
// was measured when the methods were made, with some ten percent of room.

#include <algorithm>
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "analysis/observers.hpp"
#include "methods/conjugate_gradients.hpp"
#include "methods/gram_method.hpp"
#include "methods/hyperplane_method.hpp"
#include "methods/method_options.hpp"
#include "methods/refit.hpp"
#include "methods/sparse_kaczmarz.hpp"
#include "support/direct_solver.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

constexpr std::size_t kSeeds = 5;

template <class Number>
Number median(std::vector<Number> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

// The first round after which the error is at most `level`; one more than there were where it never is.
std::size_t rounds_to(double level, const std::vector<double>& errors) {
  const auto reached = std::ranges::find_if(errors, [=](double error) { return error <= level; });
  return static_cast<std::size_t>(reached - errors.begin()) + 1;
}

std::vector<double> errors(Engine& engine, Method& method, std::uint64_t seed, std::size_t participants,
                           std::size_t rounds, std::vector<double> truth) {
  ErrorToTruth error(std::move(truth));
  RoundObserver* const observers[] = {&error};
  (void)FederatedRun(
      {.seed = seed, .rounds = static_cast<std::uint32_t>(rounds), .participants = participants, .residual_every = 1})
      .run(engine, method, {}, observers);
  return error.errors();
}

InProcessEngine engine_of(LinearSystem system, std::size_t clients, std::uint64_t seed) {
  return InProcessEngine(test::clients_of(std::move(system), clients, seed, {.sampling = RowSampling::Shuffled}));
}

// ---- Equations that have a solution: 2048x1024 Gaussian, 16 clients, to 1e-6.

std::size_t gaussian_rounds(HyperplaneOptions options, std::size_t participants, std::size_t most) {
  std::vector<std::size_t> rounds;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    auto problem = generate({.rows = 2048, .cols = 1024, .seed = seed});
    auto engine = engine_of(std::move(problem.system), 16, seed);
    options.seed = seed;
    HyperplaneMethod method(options, 16);
    rounds.push_back(rounds_to(1e-6, errors(engine, method, seed, participants, most, problem.solution)));
  }
  return median(rounds);
}

TEST(FullSize, SingleHyperplanesWithAMemoryOfTwentyRounds) {
  const HyperplaneOptions options{.local_budget = FixedSteps{1000}, .reveal = Reveal::Updates, .memory = 20};
  EXPECT_LE(gaussian_rounds(options, 5, 90), 90);
  EXPECT_LE(gaussian_rounds(options, 0, 32), 32);
}

TEST(FullSize, FewStepsWithFullMemory) {
  const HyperplaneOptions options{
      .local_budget = FixedSteps{20}, .reveal = Reveal::Updates, .memory = HyperplaneMemory::kAll};
  EXPECT_LE(gaussian_rounds(options, 0, 70), 70);
}

TEST(FullSize, SumsWithAMemoryOfFiveRounds) {
  const HyperplaneOptions options{.local_budget = FixedSteps{1000}, .reveal = Reveal::Sums, .memory = 5};
  EXPECT_LE(gaussian_rounds(options, 5, 100), 68);
  EXPECT_LE(gaussian_rounds(options, 8, 100), 53);
  EXPECT_LE(gaussian_rounds(options, 0, 40), 38);
}

// The one-shot Gram sum sends n (n + 3) / 2 numbers a client.
TEST(FullSize, SumsSendLessThanTheGramSum) {
  std::vector<double> bytes;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    auto problem = generate({.rows = 2048, .cols = 1024, .seed = seed});
    auto engine = engine_of(std::move(problem.system), 16, seed);
    HyperplaneMethod method({.local_budget = FixedSteps{1000}, .memory = 5, .seed = seed}, 16);
    const auto result =
        FederatedRun({.seed = seed, .rounds = 200, .tolerance = 1e-6, .residual_every = 1}).run(engine, method);
    EXPECT_EQ(result.termination, Termination::Tolerance);
    bytes.push_back(static_cast<double>(result.bytes_up) / 16.0);
  }
  EXPECT_LT(median(bytes), 8.0 * 1024.0 * 1027.0 / 2.0);
}

// ---- Ill-conditioned equations: 1200x400, 12 clients, singular values evenly in the logarithm.

TEST(FullSize, SumsAtLargeConditionNumbers) {
  const auto rounds = [](double condition, std::size_t memory, std::size_t most) {
    std::vector<std::size_t> needed;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      auto problem = test::system_of_condition(1200, 400, condition, seed);
      auto engine = engine_of(std::move(problem.system), 12, seed);
      HyperplaneMethod method({.local_budget = ExactProjection{}, .memory = memory, .seed = seed}, 12);
      needed.push_back(rounds_to(1e-6, errors(engine, method, seed, 0, most, problem.solution)));
    }
    return median(needed);
  };
  EXPECT_LE(rounds(1e2, 5, 290), 290);
  EXPECT_LE(rounds(1e3, HyperplaneMemory::kAll, 400), 400);
}

TEST(FullSize, FullMemoryOfSingleHyperplanesAtAnyConditionNumber) {
  for (const auto& [condition, bound] : {std::pair{1e3, 1e-10}, {1e6, 1e-7}, {1e9, 1e-4}}) {
    std::vector<std::vector<double>> last(4);  // all with tau 50, all exactly, five with tau 50, five exactly
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      auto problem = test::system_of_condition(1200, 400, condition, seed);
      auto engine = engine_of(std::move(problem.system), 12, seed);
      for (std::size_t way = 0; way < 4; ++way) {
        const std::size_t participants = way < 2 ? 0 : 5;
        const StepBudget budget = way % 2 == 0 ? StepBudget{FixedSteps{50}} : StepBudget{ExactProjection{}};
        HyperplaneMethod method(
            {.local_budget = budget, .reveal = Reveal::Updates, .memory = HyperplaneMemory::kAll, .seed = seed}, 12);
        const auto found = errors(engine, method, seed, participants, participants == 0 ? 36 : 82, problem.solution);
        last[way].push_back(found.back());
      }
    }
    for (std::size_t way = 0; way < 4; ++way) {
      EXPECT_LT(median(last[way]), bound) << "condition " << condition << ", way " << way;
    }
  }
}

// ---- Noise as right-hand side: 2048x256, 16 clients.

struct Noise {
  LinearSystem system;
  std::vector<double> truth;
};

Noise noise(std::uint64_t seed) {
  auto problem = generate({.kind = ProblemKind::Inconsistent, .rows = 2048, .cols = 256, .seed = seed});
  auto truth = test::least_squares(problem.system);
  return {std::move(problem.system), std::move(truth)};
}

TEST(FullSize, LeastSquaresByConjugateGradients) {
  std::vector<std::size_t> all, half;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    auto [system, truth] = noise(seed);
    auto engine = engine_of(std::move(system), 16, seed);
    const auto rounds = [&](std::size_t participants) {
      ConjugateGradients method({.tolerance = 1e-12}, engine.roster());
      return rounds_to(1e-6, errors(engine, method, seed, participants, 100, truth));
    };
    all.push_back(rounds(0));
    half.push_back(rounds(8));
  }
  EXPECT_LE(median(all), 16);
  EXPECT_LE(median(half), 32);
}

TEST(FullSize, LeastSquaresByOneGramSum) {
  for (const bool pairs : {true, false}) {
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      auto [system, truth] = noise(seed);
      auto engine = engine_of(std::move(system), 16, seed);
      GramMethod method({.tolerance = 1e-12, .pairs = pairs}, engine.roster());
      EXPECT_LE(rounds_to(1e-12, errors(engine, method, seed, 0, 10, truth)), pairs ? 1U : 3U) << "seed " << seed;
    }
  }
}

TEST(FullSize, RidgeByConjugateGradients) {
  std::vector<std::size_t> all, half;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    auto problem = generate({.kind = ProblemKind::Inconsistent, .rows = 2048, .cols = 256, .seed = seed});
    const auto truth = test::ridge_solution(problem.system, 2000.0, std::vector<double>(256, 0.0));
    auto engine = engine_of(std::move(problem.system), 16, seed);
    const auto rounds = [&](std::size_t participants) {
      ConjugateGradients method({.tolerance = 1e-14, .penalty = ridge_penalty(2000.0, false, {}, 256)},
                                engine.roster());
      return rounds_to(1e-8, errors(engine, method, seed, participants, 60, truth));
    };
    all.push_back(rounds(0));
    half.push_back(rounds(8));
  }
  EXPECT_LE(median(all), 12);
  EXPECT_LE(median(half), 24);
}

// ---- Sparse answers: 256x1024, nine non-zeros, noise 0.01, 16 clients, 5 a round.

TEST(FullSize, SoftThresholdingFindsTheNineAndTheRefitIsAsGoodAsKnowingThem) {
  int right = 0;
  double worst = 0.0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    auto problem =
        generate({.kind = ProblemKind::Sparse, .rows = 256, .cols = 1024, .nonzeros = 9, .noise = 0.01, .seed = seed});
    const LinearSystem system = copy_of(problem.system);
    std::vector<std::uint32_t> support;
    for (std::uint32_t j = 0; j < 1024; ++j) {
      if (problem.solution[j] != 0.0) support.push_back(j);
    }
    auto engine = engine_of(std::move(problem.system), 16, seed);
    SparseKaczmarz method({.lambda = 1.0, .seed = seed});
    const auto result = FederatedRun({.seed = seed, .rounds = 100, .participants = 5}).run(engine, method);
    const RefitOptions options{.run = {.seed = seed, .rounds = 500, .first_round = 100, .participants = 5}, .keep = 9};
    const Refit made = refit(engine, options, result.x);
    if (made.support != support) continue;

    ++right;
    const auto direct = test::least_squares(restrict_to(system, support));
    double known = 0.0;
    for (std::size_t k = 0; k < 9; ++k) known += std::pow(direct[k] - problem.solution[support[k]], 2);
    worst = std::max(worst, distance(made.result.x, problem.solution) / std::sqrt(known));
  }
  EXPECT_GE(right, 18);
  EXPECT_LE(worst, 1.1);
}

// ---- Rows scaled over two decades: each times 10^u, u uniform in [-1, 1].

TEST(FullSize, ScaledRowsTakeAutoNoMoreRounds) {
  for (const std::size_t participants : {5U, 0U}) {
    std::vector<std::size_t> plain, scaled;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      for (const bool scale : {false, true}) {
        auto problem = generate({.rows = 2048, .cols = 1024, .seed = seed});
        RngStream stream = stream_for(seed, Purpose::GeneratedNoise);
        auto& matrix = std::get<Matrix>(problem.system.rows);
        for (std::size_t i = 0; scale && i < matrix.rows(); ++i) {
          const double factor = std::pow(10.0, 2.0 * stream.uniform() - 1.0);
          for (double& entry : matrix.row(i)) entry *= factor;
          problem.system.rhs[i] *= factor;
        }
        auto engine = engine_of(std::move(problem.system), 16, seed);
        const MethodOptions options;
        RunOptions run{.seed = seed, .rounds = 400, .participants = participants};
        run.local_budget = default_local_budget(goal_of(options, run), engine.roster(), StepOptions{}.gram_memory);
        const auto method = make_method(options, run, engine);
        (scale ? scaled : plain)
            .push_back(rounds_to(1e-6, errors(engine, *method, seed, participants, 400, problem.solution)));
      }
    }
    EXPECT_LE(static_cast<double>(median(scaled)), 1.2 * static_cast<double>(median(plain)));
    EXPECT_LE(median(plain), participants == 5 ? 100U : 38U);
  }
}

}  // namespace
}  // namespace fedrk

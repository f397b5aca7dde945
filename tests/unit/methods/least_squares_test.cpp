// SPDX-License-Identifier: Apache-2.0
#include "fedrk/methods/least_squares.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "fedrk/federated/federated_run.hpp"
#include "fedrk/federated/private_slack.hpp"
#include "support/direct_solver.hpp"
#include "support/scripted_engine.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

RunResult solve(Engine& engine, const RunOptions& options, LeastSquaresOptions method, std::vector<double> start = {}) {
  method.slack.local_budget = options.local_budget;
  LeastSquares made(method, engine.roster(), engine.dimension());
  return FederatedRun(options).run(engine, made, std::move(start));
}

GeneratorOptions noise(std::uint64_t seed) {
  return {.kind = ProblemKind::Inconsistent, .rows = 90, .cols = 20, .seed = seed};
}

// The gradient is at most 1e-13 of ||A||_F ||b|| where the run ends by itself. ||A||_F is about sqrt(20) times the
// singular values, of which the largest is below four times the least, and ||b|| a few times ||A x||: 1e-10 is ample.
TEST(LeastSquares, EndsAtTheSolutionOfADirectSolver) {
  for (const Reveal reveal : {Reveal::Sums, Reveal::Updates}) {
    for (const std::size_t participants : {0U, 3U}) {
      for (const StepBudget& budget : std::vector<StepBudget>{FixedSteps{120}, UntilProjected{}}) {
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
          auto problem = generate(noise(seed));
          const auto truth = test::least_squares(problem.system);
          InProcessEngine engine(test::clients_of(std::move(problem.system), 6, seed), 1);

          const auto result =
              solve(engine, {.seed = seed, .rounds = 2000, .participants = participants, .local_budget = budget},
                    {.slack = {.reveal = reveal}});

          EXPECT_EQ(result.termination, Termination::Converged) << participants << " of 6, seed " << seed;
          EXPECT_LT(test::relative_distance(result.x, truth), 1e-10) << participants << " of 6, seed " << seed;
        }
      }
    }
  }
}

TEST(LeastSquares, DoesNotDependOnTheStartWhereTheSolutionIsUnique) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    auto problem = generate(noise(seed));
    const auto truth = test::least_squares(problem.system);
    InProcessEngine engine(test::clients_of(std::move(problem.system), 6, seed), 1);
    auto start = test::gaussian_vector(20, seed);
    for (double& entry : start) entry *= 10.0;

    const auto result =
        solve(engine, {.seed = seed, .rounds = 2000, .participants = 3, .local_budget = UntilProjected{}}, {}, start);

    EXPECT_LT(test::relative_distance(result.x, truth), 1e-10) << "seed " << seed;
  }
}

// The last five columns repeat the first five, and a client of zeros has nothing to say of anything.
LinearSystem rank_deficient(std::uint64_t seed) {
  auto problem = generate(noise(seed));
  auto& matrix = std::get<Matrix>(problem.system.rows);
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    for (std::size_t j = 0; j < 5; ++j) matrix.row(i)[15 + j] = matrix.row(i)[j];
  }
  return std::move(problem.system);
}

TEST(LeastSquares, EndsAtTheSolutionNearestToTheStartWhereThereAreMany) {
  for (const std::size_t participants : {0U, 3U}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      auto system = rank_deficient(seed);
      const auto start = test::gaussian_vector(20, seed);
      const auto truth = test::nearest_solution(system, start);
      InProcessEngine engine(test::clients_of(std::move(system), 6, seed), 1);

      const auto result =
          solve(engine, {.seed = seed, .rounds = 2000, .participants = participants, .local_budget = UntilProjected{}},
                {}, start);

      EXPECT_LT(test::relative_distance(result.x, truth), 1e-10) << participants << " of 6, seed " << seed;
    }
  }
}

TEST(LeastSquares, OfFewerEquationsThanUnknownsIsTheProjectionOfTheStart) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    auto problem = generate({.rows = 30, .cols = 50, .density = 0.5, .seed = seed});
    const auto start = test::gaussian_vector(50, seed);
    const auto truth = test::nearest_solution(problem.system, start);
    InProcessEngine engine(test::clients_of(std::move(problem.system), 6, seed), 1);

    const auto result =
        solve(engine, {.seed = seed, .rounds = 3000, .participants = 3, .local_budget = UntilProjected{}}, {}, start);

    // 30x50 at half density: condition number up to fifty.
    EXPECT_LT(test::relative_distance(result.x, truth), 1e-9) << "seed " << seed;
  }
}

TEST(LeastSquares, BearsThatAnswersGetLost) {
  for (const Reveal reveal : {Reveal::Sums, Reveal::Updates}) {
    for (const std::size_t participants : {0U, 3U}) {
      for (std::uint64_t seed = 1; seed <= 2; ++seed) {
        auto problem = generate(noise(seed));
        const auto truth = test::least_squares(problem.system);
        InProcessEngine inner(test::clients_of(std::move(problem.system), 6, seed), 1);
        test::LossyEngine engine(inner, [&](RoundIndex t, ClientId client) {
          return RngStream(seed, Purpose::GeneratedNoise, RoundIndex{8 * t.value + client.value}).uniform() < 0.25;
        });

        const auto result = solve(
            engine, {.seed = seed, .rounds = 3000, .participants = participants, .local_budget = UntilProjected{}},
            {.slack = {.reveal = reveal}});

        EXPECT_LT(test::relative_distance(result.x, truth), 1e-10) << participants << " of 6, seed " << seed;
      }
    }
  }
}

/// Looks at how far the server says it went.
class NewsWatch final : public Engine {
 public:
  explicit NewsWatch(Engine& inner) : inner_(inner) {}
  std::span<const ClientSummary> roster() const override { return inner_.roster(); }
  std::size_t dimension() const override { return inner_.dimension(); }
  RoundReplies local_updates(const LocalTask& task, std::span<const ClientId> participants) override {
    for (const auto& own : task.own) {
      for (const SlackNews::Factor& factor : SlackNews::unpacked(own).factors) {
        largest = std::max(largest, std::abs(factor.total));
      }
    }
    return inner_.local_updates(task, participants);
  }
  double largest = 0.0;

 private:
  Engine& inner_;
};

// Clients whose few equations are all met go on with steps of rounding. A server that went along these as far as they
// seem to ask for would go 1e14 times their length, which no client of masked sums believes.
TEST(LeastSquares, GoesNowhereAlongStepsOfRounding) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    auto problem = generate({.rows = 4, .cols = 8, .seed = seed});
    const auto truth = test::least_squares(problem.system);
    InProcessEngine inner(test::clients_of(std::move(problem.system), 4, seed), 1);
    NewsWatch engine(inner);

    const auto result = solve(engine, {.seed = seed, .rounds = 500, .participants = 3}, {});

    EXPECT_LE(engine.largest, SlackNews::kLargestTotal) << "seed " << seed;
    EXPECT_LT(test::relative_distance(result.x, truth), 1e-9) << "seed " << seed;
  }
}

// The tolerance bounds ||A^T (b - A x)|| / (||A||_F ||b||), and the server bounds it without knowing A.
TEST(LeastSquares, StopsWhereTheGradientIsWithinTheTolerance) {
  for (const double tolerance : {1e-3, 1e-6}) {
    for (const std::size_t participants : {0U, 3U}) {
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        auto problem = generate(noise(seed));
        const RowBlock all(copy_of(problem.system));
        double squares = 0.0;
        for (const double square : all.squared_norms()) squares += square;
        InProcessEngine engine(test::clients_of(std::move(problem.system), 6, seed), 1);
        const RunOptions options{
            .seed = seed, .rounds = 2000, .participants = participants, .local_budget = UntilProjected{}};

        const auto result = solve(engine, options, {.tolerance = tolerance});
        const auto to_the_end = solve(engine, options, {});

        const double slope = std::sqrt(squared_norm(gradient(all, result.x)) / squares / all.squared_rhs_norm());
        EXPECT_EQ(result.termination, Termination::Converged);
        EXPECT_LE(slope, tolerance);
        EXPECT_LT(result.history.size(), to_the_end.history.size());
      }
    }
  }
}

TEST(LeastSquares, HasTheSameLimitForOtherWeightsAndDepths) {
  auto problem = generate(noise(2));
  const auto truth = test::least_squares(problem.system);
  InProcessEngine engine(test::clients_of(std::move(problem.system), 6, 2), 1);
  for (const double lambda : {3.0, 30.0, 300.0}) {
    for (const std::size_t depth : {0U, 2U, 10U}) {
      for (const std::size_t memory : {1U, 30U}) {
        const auto result = solve(engine, {.seed = 2, .rounds = 3000, .local_budget = UntilProjected{}},
                                  {.slack = {.lambda = lambda, .memory = memory}, .depth = depth});
        EXPECT_LT(test::relative_distance(result.x, truth), 1e-10)
            << "lambda " << lambda << ", depth " << depth << ", memory " << memory;
      }
    }
  }
}

// 0.3 of the mean squared singular value: of a matrix with orthonormal columns, 0.3.
TEST(LeastSquares, WeighsTheSlackByTheMeanSquaredSingularValue) {
  const std::vector<ClientSummary> roster{{ClientId{0}, "a", 3, 1.0, 6.0}, {ClientId{1}, "b", 2, 1.0, 4.0}};
  EXPECT_DOUBLE_EQ(slack_weight(roster, 4), 0.3 * 10.0 / 4.0);
  EXPECT_DOUBLE_EQ(slack_weight(roster, 100), 0.3 * 10.0 / 5.0);
  const std::vector<ClientSummary> nothing{{ClientId{0}, "a", 3, 0.0, 0.0}};
  EXPECT_DOUBLE_EQ(slack_weight(nothing, 4), 1.0);
}

TEST(LeastSquares, TellsItsWeightAndItsCentres) {
  auto problem = generate(noise(1));
  InProcessEngine engine(test::clients_of(std::move(problem.system), 6, 1), 1);
  LeastSquares method({.slack = {.lambda = 12.5, .local_budget = UntilProjected{}}}, engine.roster(), 20);

  const auto result = FederatedRun({.rounds = 2000}).run(engine, method);

  EXPECT_GT(method.centres(), 1);
  EXPECT_EQ(result.notes,
            std::vector<std::string>{"Least squares by private slack of weight 12.5 around " +
                                     std::to_string(method.centres() + 1) +
                                     " centres, extrapolated from 6, each left at an inner tolerance of 1."});
}

// Twelve of twenty clients lack nothing at the start, and may well be asked first.
TEST(LeastSquares, DoesNotEndOnClientsThatAreContentWithTheStart) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    auto problem = generate({.kind = ProblemKind::Inconsistent, .rows = 200, .cols = 8, .seed = seed});
    std::fill_n(problem.system.rhs.begin(), 120, 0.0);
    const auto truth = test::least_squares(problem.system);
    InProcessEngine engine(test::clients_of(std::move(problem.system), 20, seed), 1);

    const auto result =
        solve(engine, {.seed = seed, .rounds = 5000, .participants = 2, .local_budget = UntilProjected{}}, {});

    EXPECT_EQ(result.termination, Termination::Converged);
    EXPECT_LT(test::relative_distance(result.x, truth), 1e-9) << "seed " << seed;
  }
}

}  // namespace
}  // namespace fedrk

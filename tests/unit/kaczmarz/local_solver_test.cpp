// SPDX-License-Identifier: Apache-2.0
#include "kaczmarz/local_solver.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

// The hyperplanes that come with a client's steps.

struct Way {
  RowSampling sampling;
  LocalForm form;
};

std::vector<Way> all_ways_to_step() {
  std::vector<Way> ways{{RowSampling::Greedy, LocalForm::Gram}};
  for (const RowSampling sampling : {RowSampling::SquaredNorm, RowSampling::Uniform, RowSampling::Shuffled}) {
    for (const LocalForm form : {LocalForm::Direct, LocalForm::Gram}) ways.push_back({sampling, form});
  }
  return ways;
}

// <Delta, x*> = <y, b>, so the gap is <Delta, x* - x>. A thousand steps each round by about 1e-16 of the way to x*.
TEST(ValidHyperplane, HoldsTheSolutionHoweverTheStepsAreMade) {
  for (const double density : {1.0, 0.3}) {
    for (const Way& way : all_ways_to_step()) {
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const auto problem = generate({.rows = 20, .cols = 30, .density = density, .seed = seed});
        Client client(ClientId{0}, "site", RowBlock(copy_of(problem.system)), seed,
                      {.sampling = way.sampling, .form = way.form});
        const auto x = test::gaussian_vector(30, seed + 9);
        const double far = distance(problem.solution, x);
        for (const StepBudget& budget : std::vector<StepBudget>{FixedSteps{1}, FixedSteps{2}, FixedSteps{19},
                                                                FixedSteps{1000}, ExactProjection{}}) {
          const auto reply = client.local_update({RoundIndex{4}, x, CutSteps{budget}});

          ASSERT_TRUE(reply.gap);
          const double truth = dot(reply.values, problem.solution) - dot(reply.values, x);
          const double rounding = 1e-12 * std::sqrt(squared_norm(reply.values)) * far;
          EXPECT_NEAR(*reply.gap, truth, rounding)
              << "density " << density << ", order " << static_cast<int>(way.sampling) << ", form "
              << static_cast<int>(way.form) << ", budget " << budget.index();
        }
      }
    }
  }
}

// One step on a row a: Delta = (r/||a||^2) a and gamma = r^2/||a||^2, by hand.
TEST(ValidHyperplane, OfOneStepIsThatOfTheRow) {
  for (const LocalForm form : {LocalForm::Direct, LocalForm::Gram}) {
    Client client(ClientId{0}, "site", RowBlock({Matrix{{3.0, 4.0}}, {15.0}}), 1, {.form = form});
    const std::vector<double> x{1.0, 0.5};  // <a, x> = 5

    const auto reply = client.local_update({RoundIndex{0}, x, CutSteps{FixedSteps{1}}});

    EXPECT_NEAR(reply.values[0], 1.2, 1e-15);
    EXPECT_NEAR(reply.values[1], 1.6, 1e-15);
    EXPECT_NEAR(*reply.gap, 4.0, 1e-14);
  }
}

// The steps of FedRK's work, and a scalar more.
TEST(ValidHyperplane, ComesWithTheSameSteps) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const auto problem = generate({.rows = 20, .cols = 30, .seed = seed});
    Client client(ClientId{0}, "site", RowBlock(copy_of(problem.system)), seed, {});
    const auto x = test::gaussian_vector(30, seed);
    const auto valid = client.local_update({RoundIndex{4}, x, CutSteps{FixedSteps{50}}});
    const auto by_fedrk = client.local_update({RoundIndex{4}, x, FixedSteps{50}});

    EXPECT_LT(test::relative_distance(valid.values, by_fedrk.values), 1e-12);
    EXPECT_FALSE(by_fedrk.gap);
  }
}

TEST(ValidHyperplane, AddsUpToOneThatHoldsTheSolution) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto problem = generate({.rows = 60, .cols = 40, .seed = seed});
    InProcessEngine engine(test::clients_of(copy_of(problem.system), 6, seed), 1);
    const auto x = test::gaussian_vector(40, seed);
    const std::vector<ClientId> some{ClientId{0}, ClientId{2}, ClientId{5}};
    LocalTask task{RoundIndex{0}, x, CutSteps{FixedSteps{7}}};
    task.reveal = Reveal::Sums;

    const auto round = engine.local_updates(task, some);

    ASSERT_EQ(round.replies.size(), 1);
    EXPECT_EQ(round.answered, some);
    const auto& sum = round.replies[0];
    EXPECT_NEAR(*sum.gap, dot(sum.values, problem.solution) - dot(sum.values, x),
                1e-12 * std::sqrt(squared_norm(sum.values)) * distance(x, problem.solution));
  }
}

}  // namespace
}  // namespace fedrk

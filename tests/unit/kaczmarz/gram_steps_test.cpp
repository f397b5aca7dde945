// SPDX-License-Identifier: Apache-2.0
#include "kaczmarz/gram_steps.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "linalg/gram.hpp"
#include "linalg/instruction_set.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

TEST(GramSteps, AreTheFormulaOneStepAfterAnother) {
  // G of the rows (1, 0), (1, 1), worked out by hand: two steps from gaps (1, 3).
  const Matrix gram{{1.0, 1.0}, {1.0, 2.0}};
  std::vector<double> gaps{1.0, 3.0}, coefficients{0.0, 0.0};

  gram_steps(gram, std::vector<std::uint32_t>{1, 0}, gaps, coefficients);

  // c = 3/2 on row 1 leaves gaps (-1/2, 0); then c = -1/2 on row 0 leaves (0, 1/2).
  EXPECT_EQ(coefficients, (std::vector{-0.5, 1.5}));
  EXPECT_EQ(gaps, (std::vector{0.0, 0.5}));
}

TEST(GramSteps, GreedyOnesGoToTheFarthestHyperplane) {
  // Rows (1, 0) and (0, 10): gaps 2 and 10 are distances 2 and 1, so the first row comes first, then the second.
  const Matrix gram{{1.0, 0.0}, {0.0, 100.0}};
  for (const std::uint64_t steps : {1U, 2U, 9U}) {
    std::vector<double> gaps{2.0, 10.0}, coefficients{0.0, 0.0};
    greedy_gram_steps(gram, steps, gaps, coefficients);
    EXPECT_EQ(coefficients, steps == 1 ? (std::vector{2.0, 0.0}) : (std::vector{2.0, 0.1})) << steps;
  }
}

// Each step removes at least the mean of the squared distances, so the error falls at least as by uniform draws.
TEST(GramSteps, GreedyOnesAreAtLeastAsFastAsTheMeanOfUniformOnes) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto system = generate({.rows = 60, .cols = 40, .seed = seed});
    const auto& matrix = std::get<Matrix>(system.system.rows);
    const Matrix gram = gram_matrix_of(matrix);
    const std::vector<double> norms = [&] {
      std::vector<double> squares;
      for (std::size_t j = 0; j < 60; ++j) squares.push_back(gram.row(j)[j]);
      return squares;
    }();
    const auto error_after = [&](RowSampling order, std::uint64_t draw) {
      const RowSampler sampler = RowSampler::make(order, norms);
      std::vector<double> gaps = system.system.rhs, y(60, 0.0), x(40, 0.0);
      GramSteps(sampler, 200, 60, stream_for(draw, Purpose::LocalSteps)).run(gram, gaps, y);
      for (std::size_t j = 0; j < 60; ++j) axpy(y[j], matrix.row(j), x);
      return test::relative_distance(x, system.solution);
    };
    double uniform = 0.0;
    for (std::uint64_t draw = 1; draw <= 20; ++draw) uniform += error_after(RowSampling::Uniform, draw) / 20.0;
    EXPECT_LT(error_after(RowSampling::Greedy, 1), uniform);
  }
}

struct Steps {
  std::size_t rows;
  std::uint64_t count;
};

class GramStepsOf : public testing::TestWithParam<Steps> {};
INSTANTIATE_TEST_SUITE_P(Nasty, GramStepsOf,
                         testing::Values(Steps{1, 1}, Steps{1, 9}, Steps{2, 3}, Steps{7, 4}, Steps{9, 11}, Steps{16, 7},
                                         Steps{17, 8}, Steps{33, 1000}, Steps{128, 600}));

struct Outcome {
  std::vector<double> gaps, coefficients;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

struct Problem {
  Matrix gram;
  Outcome start;
  std::vector<std::uint32_t> drawn;
};

Problem problem_of(const Steps& steps) {
  std::vector<std::vector<double>> rows;
  for (std::size_t i = 0; i < steps.rows; ++i) rows.push_back(test::gaussian_vector(steps.rows + 3, 50 + i));
  Problem problem{gram_matrix(std::vector<std::span<const double>>(rows.begin(), rows.end())),
                  {test::gaussian_vector(steps.rows, 2), std::vector<double>(steps.rows, 0.0)},
                  std::vector<std::uint32_t>(steps.count)};
  RngStream stream = stream_for(3, Purpose::LocalSteps);
  for (auto& row : problem.drawn) row = static_cast<std::uint32_t>(stream.below(steps.rows));
  return problem;
}

TEST_P(GramStepsOf, GiveTheBitsOfThePlainLoopWithEveryInstructionSet) {
  const Problem problem = problem_of(GetParam());
  Outcome plain = problem.start;
  for (const std::uint32_t j : problem.drawn) {
    const auto row = problem.gram.row(j);
    const double by = plain.gaps[j] * (1.0 / row[j]);
    plain.coefficients[j] += by;
    for (std::size_t i = 0; i < row.size(); ++i) plain.gaps[i] -= by * row[i];
  }
  const InstructionSet before = instruction_set();
  for (const InstructionSet set : available_instruction_sets()) {
    use_instruction_set(set);
    Outcome outcome = problem.start;
    gram_steps(problem.gram, problem.drawn, outcome.gaps, outcome.coefficients);
    EXPECT_EQ(outcome, plain) << name_of(set);
  }
  use_instruction_set(before);
}

// Gaps that shrink without end come to numbers which the hardware is slow with; there the steps end. Not so for a
// system that is small as a whole: its steps go on until they have gained as much.
TEST(GramSteps, EndWhereNothingIsLeftToGain) {
  const Problem problem = problem_of({4, 1});
  const RowSampler sampler = RowSampler::uniform(std::vector<double>(4, 1.0));
  for (const double scale : {1.0, 1e-100, 1e100}) {
    Outcome outcome = problem.start;
    for (double& gap : outcome.gaps) gap *= scale;
    GramSteps steps(sampler, 1'000'000, 4, stream_for(1, Purpose::LocalSteps));

    steps.run(problem.gram, outcome.gaps, outcome.coefficients);

    for (const double gap : outcome.gaps) {
      EXPECT_LT(std::abs(gap), 1e-35 * scale);
      EXPECT_TRUE(gap == 0.0 || std::isnormal(gap)) << gap;
    }
  }
}

TEST(GramSteps, KnowBeforehandWhichRowsTheyTouch) {
  const std::vector<double> weights(50, 1.0);
  const RowSampler sampler = RowSampler::uniform(weights);
  for (const std::uint64_t count : {1U, 10U, 49U, 50U, 1000U}) {
    GramSteps steps(sampler, count, 50, stream_for(1, Purpose::LocalSteps));
    RngStream stream = stream_for(1, Purpose::LocalSteps);
    std::set<std::size_t> drawn;
    for (std::uint64_t k = 0; k < count; ++k) drawn.insert(sampler.draw(stream));

    const std::set<std::size_t> touched(steps.touched().begin(), steps.touched().end());

    EXPECT_TRUE(std::ranges::includes(touched, drawn));
    EXPECT_EQ(touched.size(), count < 50 ? drawn.size() : 50);
  }
}

}  // namespace
}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#include "linalg/random/row_sampler.hpp"

#include <cmath>
#include <vector>

#include <algorithm>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "linalg/instruction_set.hpp"

namespace fedrk {
namespace {

std::vector<double> frequencies(const RowSampler& sampler, std::size_t rows, int draws, std::uint64_t seed) {
  RngStream stream = stream_for(seed, Purpose::LocalSteps);
  std::vector<double> counts(rows, 0.0);
  for (int k = 0; k < draws; ++k) counts[sampler.draw(stream)] += 1.0 / draws;
  return counts;
}

TEST(RowSampler, DrawsInProportionToTheWeights) {
  const std::vector<double> weights{1.0, 0.0, 4.0, 2.0, 0.5, 2.5};
  const int draws = 200000;

  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const auto found = frequencies(RowSampler::weighted(weights), weights.size(), draws, seed);

    for (std::size_t j = 0; j < weights.size(); ++j) {
      const double p = weights[j] / 10.0;
      EXPECT_NEAR(found[j], p, 5.0 * std::sqrt(p * (1.0 - p) / draws)) << "row " << j;  // five standard deviations
    }
  }
}

TEST(RowSampler, DrawsManyAsItDrawsOneByOne) {
  const RowSampler sampler = RowSampler::weighted(std::vector{1.0, 0.0, 4.0, 2.0, 0.5, 2.5});
  const InstructionSet before = instruction_set();
  for (const InstructionSet set : available_instruction_sets())
    for (const std::size_t count : {0U, 1U, 2U, 7U, 127U, 128U, 129U, 1000U}) {
      use_instruction_set(set);
      RngStream one_by_one = stream_for(1, Purpose::LocalSteps), at_once = one_by_one;
      (void)one_by_one.next();  // leaves half a block behind
      (void)at_once.next();
      std::vector<std::uint32_t> rows(count);

      sampler.draw(at_once, rows);

      for (const std::uint32_t row : rows) EXPECT_EQ(row, sampler.draw(one_by_one));
      EXPECT_EQ(at_once.next(), one_by_one.next());
    }
  use_instruction_set(before);
}

TEST(DrawnRows, KnowTheRowsToComeAndEndWithTheLast) {
  const RowSampler sampler = RowSampler::uniform(std::vector<double>(1000, 1.0));
  for (const std::uint64_t steps : {1U, 2U, 16U, 17U, 111U, 112U, 113U, 128U, 500U}) {
    RngStream stream = stream_for(5, Purpose::LocalSteps);
    DrawnRows drawn(sampler, steps, stream);
    std::vector<std::uint32_t> expected;
    for (std::uint64_t k = 0; k < steps; ++k) expected.push_back(static_cast<std::uint32_t>(sampler.draw(stream)));

    for (std::uint64_t k = 0; k < steps; ++k, drawn.advance()) {
      for (std::size_t ahead = 0; ahead <= DrawnRows::kAhead; ++ahead) {
        EXPECT_EQ(drawn[ahead], expected[std::min(k + ahead, steps - 1)]) << k << " + " << ahead << " of " << steps;
      }
    }
  }
}

TEST(RowSampler, NeverDrawsAZeroRow) {
  const std::vector<double> weights{0.0, 3.0, 0.0, 1e-30, 0.0};

  EXPECT_EQ(frequencies(RowSampler::weighted(weights), 5, 10000, 1)[0], 0.0);
  const auto uniform = frequencies(RowSampler::uniform(weights), 5, 10000, 1);
  EXPECT_NEAR(uniform[1], 0.5, 0.025);
  EXPECT_NEAR(uniform[3], 0.5, 0.025);
  EXPECT_EQ(uniform[0] + uniform[2] + uniform[4], 0.0);
}

TEST(RowSampler, KeepsItsProportionsOverTheWholeRangeOfNumbers) {
  const auto huge = frequencies(RowSampler::weighted(std::vector{1e300, 3e300}), 2, 40000, 2);
  const auto tiny = frequencies(RowSampler::weighted(std::vector{1e-300, 3e-300}), 2, 40000, 2);

  EXPECT_NEAR(huge[1], 0.75, 0.011);  // five standard deviations
  EXPECT_NEAR(tiny[1], 0.75, 0.011);
}

TEST(RowSampler, ShuffledRowsComeOnceInAPassAndInAnotherOrderInTheNext) {
  const std::vector<double> weights{1.0, 0.0, 1e-8, 1e8, 2.0, 3.0, 4.0, 5.0};
  const auto sampler = RowSampler::make(RowSampling::Shuffled, weights);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    std::vector<std::uint32_t> drawn(21);  // three passes over the seven rows of positive weight
    RowDraws(sampler, stream_for(seed, Purpose::LocalSteps)).next(drawn);

    std::vector<std::vector<std::uint32_t>> passes;
    for (std::size_t pass = 0; pass < 3; ++pass) {
      const auto first = drawn.begin() + static_cast<std::ptrdiff_t>(7 * pass);
      passes.emplace_back(first, first + 7);
      auto sorted = passes.back();
      std::ranges::sort(sorted);
      EXPECT_EQ(sorted, (std::vector<std::uint32_t>{0, 2, 3, 4, 5, 6, 7}));
    }
    EXPECT_FALSE(passes[0] == passes[1] && passes[1] == passes[2]);
  }
}

TEST(RowSampler, EveryOrderOfShuffledRowsIsEquallyLikely) {
  const auto sampler = RowSampler::make(RowSampling::Shuffled, std::vector{1.0, 1.0, 1.0});
  RowDraws draws(sampler, stream_for(3, Purpose::LocalSteps));
  std::map<std::vector<std::uint32_t>, int> counts;
  constexpr int kPasses = 60000;
  for (int pass = 0; pass < kPasses; ++pass) {
    std::vector<std::uint32_t> order(3);
    draws.next(order);
    ++counts[order];
  }
  ASSERT_EQ(counts.size(), 6U);
  // 10000 of each, with a standard deviation of 91.
  for (const auto& [order, count] : counts) EXPECT_NEAR(count, kPasses / 6, 460);
}

TEST(RowSampler, RowsDoNotDependOnTheStretchesTheyAreTakenIn) {
  for (const RowSampling order : {RowSampling::SquaredNorm, RowSampling::Uniform, RowSampling::Shuffled}) {
    const auto sampler = RowSampler::make(order, std::vector<double>(11, 2.0));
    std::vector<std::uint32_t> at_once(40), in_pieces(40);
    RowDraws(sampler, stream_for(4, Purpose::LocalSteps)).next(at_once);
    RowDraws pieces(sampler, stream_for(4, Purpose::LocalSteps));
    for (std::size_t at = 0; at < 40; at += 8) pieces.next(std::span(in_pieces).subspan(at, 8));
    EXPECT_EQ(at_once, in_pieces);
  }
}

TEST(RowSampler, IsEmptyWithoutUsableRows) {
  EXPECT_TRUE(RowSampler::weighted(std::vector{0.0, 0.0}).empty());
  EXPECT_TRUE(RowSampler::uniform({}).empty());
  EXPECT_FALSE(RowSampler::weighted(std::vector{1.0}).empty());
}

}  // namespace
}  // namespace fedrk

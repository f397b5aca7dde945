// SPDX-License-Identifier: Apache-2.0
#include "fedrk/question.hpp"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "round/row_work.hpp"
#include "support/direct_solver.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

// [1 2; 0 3] x = (5, 6): A^T A = [1 2; 2 13], A^T b = (5, 28).
LinearSystem two_by_two(bool sparse) {
  if (sparse) return {SparseMatrix(2, 2, {{0, 0, 1.0}, {0, 1, 2.0}, {1, 1, 3.0}}), {5.0, 6.0}};
  return {Matrix{{1.0, 2.0}, {0.0, 3.0}}, {5.0, 6.0}};
}

const RngStream kStream = stream_for(1, Purpose::LocalSteps);

class Work : public testing::TestWithParam<bool> {
 protected:
  RowBlock block_{two_by_two(GetParam())};
  std::vector<double> ones_{1.0, 1.0};
};
INSTANTIATE_TEST_SUITE_P(DenseAndSparse, Work, testing::Bool());

TEST_P(Work, OfOneGradientStepFollowsTheMeanOrTheSumOfTheRowsLosses) {
  std::vector<double> mean = ones_, sum = ones_;

  gradient_steps({.count = 1, .step = 0.1}, block_, {}, kStream, mean);
  gradient_steps({.count = 1, .step = 0.1, .loss = GradientSteps::Loss::Sum}, block_, {}, kStream, sum);

  EXPECT_DOUBLE_EQ(mean[0], 1.1);   // half of 0.1 * 2
  EXPECT_DOUBLE_EQ(mean[1], 1.65);  // half of 0.1 * 13
  EXPECT_DOUBLE_EQ(sum[0], 1.2);
  EXPECT_DOUBLE_EQ(sum[1], 2.3);
}

TEST_P(Work, OfGradientStepsIsPulledBackByTheProximalTermAndMovedByTheCorrection) {
  std::vector<double> free = ones_, held = ones_, corrected = ones_;
  const std::vector<double> own{1.0, 0.0};

  gradient_steps({.count = 2, .step = 0.05}, block_, {}, kStream, free);
  gradient_steps({.count = 2, .step = 0.05, .proximal = 4.0}, block_, {}, kStream, held);
  gradient_steps({.count = 1, .step = 0.05}, block_, own, kStream, corrected);

  // After one step both stand at 1 + (0.05, 0.325); the second differs by -0.05 * 4 * (0.05, 0.325).
  EXPECT_NEAR(held[0], free[0] - 0.01, 1e-14);
  EXPECT_NEAR(held[1], free[1] - 0.065, 1e-14);
  EXPECT_DOUBLE_EQ(corrected[0], 1.0);  // 1 + 0.05 (1 - 1)
}

TEST_P(Work, OfAGradientStepOnOneRowIsAKaczmarzStepForTheRightStepSize) {
  int on_first = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::vector<double> x = ones_;
    gradient_steps({.count = 1, .step = 0.2, .batch = 1}, block_, {}, stream_for(seed, Purpose::LocalSteps), x);
    const bool first = std::abs(x[0] + 2.0 * x[1] - 5.0) < 1e-14;         // its squared norm is 5
    EXPECT_TRUE(first || (x[0] == 1.0 && std::abs(x[1] - 2.8) < 1e-14));  // else 1 + 0.2 * 3 * (6 - 3)
    on_first += first ? 1 : 0;
  }
  EXPECT_GT(on_first, 3);
  EXPECT_LT(on_first, 17);
}

TEST_P(Work, OfTheCurvatureIsTheLargestEigenvalueOfTheGram) {
  EXPECT_NEAR(curvature(block_), 7.0 + std::sqrt(40.0), 1e-10);  // of [1 2; 2 13]
}

TEST(WorkOfTheCurvature, IsWithinTwoPercentOnGaussianRows) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    auto problem = generate({.rows = 60, .cols = 200, .seed = seed});
    const double largest = test::singular_values(problem.system.rows).front();

    const double found = curvature(RowBlock(std::move(problem.system)));

    EXPECT_LE(found, largest * largest * (1.0 + 1e-12));
    EXPECT_GE(found, 0.98 * largest * largest);
  }
}

TEST_P(Work, AnswersAreAsLongAsExpected) {
  EXPECT_EQ(reply_length(FixedSteps{0}, 7), 0);
  EXPECT_EQ(reply_length(FixedSteps{3}, 7), 7);
  EXPECT_EQ(reply_length(CrossProducts{}, 2), 6);
  EXPECT_EQ(reply_length(CrossProducts{true}, 2), 12);
  EXPECT_EQ(reply_length(Curvature{}, 7), 1);
  EXPECT_EQ(reply_length(AllRows{}, 7), std::nullopt);
}

TEST(Flops, CountTheMultiplicationsAndAdditionsOfDenseRows) {
  EXPECT_EQ(flops(FixedSteps{10}, 4, 5, 20), 10 * 4 * 5);
  EXPECT_EQ(flops(Gradient{}, 4, 5, 20), 4 * 20);
  EXPECT_EQ(flops(CrossProducts{}, 4, 5, 20), 4 * 5 * 6 + 2 * 4 * 5);
}

// ---- Rows as a message.

LocalReply reply_with(std::uint32_t client, const LinearSystem& system) {
  return {ClientId{client}, pack_rows(system), std::nullopt};
}

TEST(PooledRows, ArriveAsTheyWereSent) {
  for (const bool sparse : {false, true}) {
    const std::vector<LocalReply> replies{reply_with(0, two_by_two(sparse)), reply_with(1, two_by_two(sparse))};

    const auto pooled = unpack_rows(replies, 2);

    ASSERT_TRUE(pooled);
    EXPECT_EQ(is_sparse(pooled->rows), sparse);
    EXPECT_EQ(pooled->rhs, (std::vector{5.0, 6.0, 5.0, 6.0}));
    EXPECT_EQ(test::written_out(pooled->rows),
              (std::vector<std::vector<double>>{{1.0, 2.0}, {0.0, 3.0}, {1.0, 2.0}, {0.0, 3.0}}));
  }
}

TEST(PooledRows, OfBothFormsMakeADenseSystem) {
  const std::vector<LocalReply> replies{reply_with(0, two_by_two(true)), reply_with(1, two_by_two(false))};

  const auto pooled = unpack_rows(replies, 2);

  ASSERT_TRUE(pooled);
  EXPECT_EQ(test::written_out(pooled->rows),
            (std::vector<std::vector<double>>{{1.0, 2.0}, {0.0, 3.0}, {1.0, 2.0}, {0.0, 3.0}}));
}

TEST(PooledRows, OfALiarAreRefused) {
  const std::vector<AlignedVector> lies{{},
                                        {7.0},
                                        {0.0, 1.0},                 // half a row
                                        {1.0, 1.0},                 // an entry is announced and missing
                                        {1.0, 1.0, 2.0, 4.0, 5.0},  // column 2 of 2
                                        {1.0, 1.0, 0.5, 4.0, 5.0},
                                        {1.0, 1e300, 0.0},
                                        {1.0, -1.0, 0.0},
                                        {1.0, 2.0, 1.0, 0.0, 4.0, 4.0, 5.0}};  // columns fall
  for (const auto& lie : lies) {
    const std::vector<LocalReply> alone{{ClientId{1}, lie, std::nullopt}};
    const std::vector<LocalReply> with_dense{reply_with(0, two_by_two(false)), {ClientId{1}, lie, std::nullopt}};

    EXPECT_FALSE(unpack_rows(alone, 2));
    EXPECT_FALSE(unpack_rows(with_dense, 2));
  }
}

// What comes from a peer.
TEST(NoisyProductsQuestion, IsRefusedWhereItsNumbersDoNotSuitEachOther) {
  const NoisyProducts fine{.bound = 4.0, .rhs_weight = 0.5, .noise = 8.0, .exponent = -17};
  const auto with = [&](auto change) {
    NoisyProducts work = fine;
    change(work);
    return std::string(wrong_work(work, 3));
  };
  EXPECT_EQ(with([](NoisyProducts&) {}), "");
  for (const double wrong : {0.0, -1.0, 1e-200, 1e200, std::nan("")}) {
    EXPECT_EQ(with([&](NoisyProducts& w) { w.bound = wrong; }), "its rows are shortened to no sensible length");
    EXPECT_EQ(with([&](NoisyProducts& w) { w.rhs_weight = wrong; }), "its right-hand sides have no sensible weight");
    EXPECT_NE(with([&](NoisyProducts& w) { w.noise = wrong; }), "");
  }
  for (const std::int32_t wrong : {-6, 4, 500, -500, -60}) {
    EXPECT_EQ(with([&](NoisyProducts& w) { w.exponent = wrong; }), "its grid does not suit its noise") << wrong;
  }
}

TEST(NoisyProductsQuestion, HasAsManyNumbersAsTheTriangleAndNeedsNoX) {
  EXPECT_EQ(reply_length(NoisyProducts{}, 3), 10);
  EXPECT_FALSE(needs_x(NoisyProducts{}));
  EXPECT_EQ(grid_of_noise(NoisyProducts{.exponent = -7}), -7);
  EXPECT_EQ(grid_of_noise(ClippedPass{.exponent = 3}), 3);
  EXPECT_FALSE(grid_of_noise(CrossProducts{}));
}

}  // namespace
}  // namespace fedrk

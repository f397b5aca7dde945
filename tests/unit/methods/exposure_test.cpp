// SPDX-License-Identifier: Apache-2.0
#include "methods/exposure.hpp"

#include <gtest/gtest.h>

namespace fedrk {
namespace {

TEST(Exposure, KnowsTheWorkThatShowsARow) {
  EXPECT_TRUE(is_one_step(FixedSteps{1}));
  EXPECT_TRUE(is_one_step(CutSteps{FixedSteps{1}}));
  EXPECT_TRUE(is_one_step(SparseSteps{FixedSteps{1}, 0.5}));
  EXPECT_TRUE(is_one_step(GradientSteps{.count = 1, .batch = 1}));
  EXPECT_FALSE(is_one_step(GradientSteps{.count = 1}));
  EXPECT_FALSE(is_one_step(GradientSteps{.count = 2, .batch = 1}));
  EXPECT_FALSE(is_one_step(FixedSteps{2}));
  EXPECT_FALSE(is_one_step(FixedSteps{0}));
  EXPECT_FALSE(is_one_step(CutSteps{ExactProjection{}}));
}

TEST(Exposure, SaysWhichPlansShowRowsOutright) {
  const RunOptions one_step{.local_budget = FixedSteps{1}}, one_server_step{.server_budget = FixedSteps{1}};
  EXPECT_EQ(exposed_rows(FedRk{}, {}, false), "");
  EXPECT_NE(exposed_rows(FedRk{}, one_step, false), "");
  EXPECT_NE(exposed_rows(FedRk{}, {.participants = 1}, false), "");
  EXPECT_NE(exposed_rows(FedRk{}, one_server_step, false), "");
  EXPECT_EQ(exposed_rows(Equations{.reveal = Reveal::Updates}, one_server_step, false), "")
      << "not used by that method";
  EXPECT_NE(exposed_rows(Equations{}, one_step, true), "") << "a sum of single rows";
  EXPECT_EQ(exposed_rows(Equations{}, one_server_step, true), "");
}

bool serves(const LocalWork& work, const MethodOptions& options, std::span<const std::uint32_t> columns = {}) {
  LocalTask task{RoundIndex{}, {}, work};
  task.columns = columns;
  return fedrk::serves(task, options, {});
}

TEST(Exposure, KnowsWhatAPlanHasAUseFor) {
  const MethodOptions by_itself{}, ridge{.ridge = 2.0}, soft{.soft = 0.5}, refitted{.soft = 0.5, .refit = true};
  const MethodOptions noisy{.privacy = {.epsilon = 1.0}};
  const LocalWork plain = CutSteps{}, sparse = SparseSteps{FixedSteps{20}, 0.5}, look = FixedSteps{0};
  EXPECT_TRUE(serves(plain, by_itself) && serves(look, by_itself));
  EXPECT_FALSE(serves(NormalProduct{}, by_itself) || serves(sparse, by_itself) || serves(CrossProducts{}, by_itself) ||
               serves(ColumnNorms{}, by_itself));
  EXPECT_TRUE(serves(NormalProduct{}, ridge) && serves(Gradient{}, ridge) && serves(CrossProducts{true}, ridge));
  EXPECT_TRUE(serves(look, ridge));
  EXPECT_FALSE(serves(plain, ridge));
  EXPECT_TRUE(serves(sparse, soft));
  EXPECT_FALSE(serves(SparseSteps{FixedSteps{1}, 0.5}, soft) || serves(SparseSteps{FixedSteps{20}, 0.1}, soft));
  const std::vector<std::uint32_t> columns{1, 4};
  EXPECT_TRUE(serves(NormalProduct{}, refitted, columns) && serves(ColumnNorms{}, refitted));
  EXPECT_FALSE(serves(NormalProduct{}, ridge, columns) || serves(plain, refitted, columns));
  EXPECT_TRUE(serves(ClippedPass{}, noisy));
  EXPECT_FALSE(serves(look, noisy) || serves(plain, noisy) || serves(ClippedPass{}, by_itself));
}

}  // namespace
}  // namespace fedrk

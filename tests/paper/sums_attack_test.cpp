// SPDX-License-Identifier: Apache-2.0

// What sums give away where no rule bounds them, at the size of real tables.

#include <gtest/gtest.h>

#include "analysis/span_attack.hpp"
#include "attacks/attack_score.hpp"
#include "support/masked_sums.hpp"

namespace fedrk {
namespace {

TEST(SumsAttack, RebuildsABinaryTableFromOneMaskedRun) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const auto run = test::watch_equations(test::discrete_table(98, 300, 2, seed), 7, 3, {seed});

    const AttackScore score = score_of(recover_discrete(run.transcript), run.truth);

    EXPECT_EQ(score.found, 98) << seed;
    EXPECT_EQ(score.wrong, 0) << seed;
  }
}

// Everyone is present, so all rows are in each sum; a run of about forty rounds shows as many directions.
TEST(SumsAttack, RebuildsAWideTableFromAFewMaskedRuns) {
  for (const std::uint64_t seed : {1U, 2U}) {
    const auto run =
        test::watch_equations(test::discrete_table(98, 3000, 2, seed), 7, 0, {seed, seed + 10, seed + 20, seed + 30});

    const AttackScore score = score_of(recover_discrete(run.transcript), run.truth);

    EXPECT_EQ(score.found, 98) << seed;
    EXPECT_EQ(score.wrong, 0) << seed;
  }
}

}  // namespace
}  // namespace fedrk

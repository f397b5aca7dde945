// SPDX-License-Identifier: Apache-2.0

// attack_test.cpp for more seeds.

#include <gtest/gtest.h>

#include "support/prostate_attack.hpp"

namespace fedrk {
namespace {

TEST(AttackSeeds, RebuildMostRecordsOfFedrkOnProstate) {
  for (const std::uint64_t seed : {2U, 3U, 4U}) {
    EXPECT_GE(test::records_without_draws(test::fedrk_prostate_run(seed)), 50) << seed;
  }
}

}  // namespace
}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0

// Masked runs whose processes are killed at random, with and without losing what was written last: the bits of an
// undisturbed run, or a refusal in words.
//
//     FEDRK_KILLS=500 FEDRK_SEED=7000 build/tests/bin/test_federation_kill_soak       trials 7000, 7001, ...

#include <cstdlib>
#include <iostream>
#include <set>

#include <gtest/gtest.h>

#include "support/kill_trial.hpp"

namespace fedrk::test {
namespace {

constexpr std::size_t kClients = 4;
constexpr std::uint64_t kKills = 12;  // without a wish: some seconds
constexpr std::uint64_t kSlices = 2;  // tests of their own, so that they can run side by side

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);  // NOLINT: nobody changes it
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

const StartupKit& kit(std::uint64_t seed) {
  static const StartupKit fit({.generate = {"gaussian", "--rows", "130", "--cols", "110", "--noise", "0.1"},
                               .plan = "goal = \"fit\"\nmethod = \"cg\"\nintercept = false\nseed = 3\n",
                               .clients = kClients,
                               .masked = true});
  static const StartupKit solve(
      {.generate = {"gaussian", "--rows", "240", "--cols", "60"},
       .plan = "participants = 4\nseed = 3\nlocal-steps = 5\nrounds = 400\ntolerance = 1e-8\n",
       .clients = kClients,
       .masked = true});
  return seed % 2 == 0 ? fit : solve;
}

class KillSoak : public testing::TestWithParam<std::uint64_t> {};

// Half of the kills in each.
TEST_P(KillSoak, LeavesTheBitsOfAnUndisturbedRunOrARefusalInWords) {
  const std::uint64_t kills = from_environment("FEDRK_KILLS", kKills);
  KillTally tally;
  for (std::uint64_t seed = from_environment("FEDRK_SEED", 1) + GetParam();
       tally.kills() * kSlices < kills && !HasFailure(); seed += kSlices) {
    EXPECT_TRUE(play(make_kill_trial(seed, kClients), kit(seed), tally));
  }
  std::cout << tally.text();
}

INSTANTIATE_TEST_SUITE_P(Slices, KillSoak, testing::Range(std::uint64_t{0}, kSlices));

TEST(KillTrial, IsTheSameForTheSameSeed) {
  EXPECT_EQ(describe(make_kill_trial(5, kClients)), describe(make_kill_trial(5, kClients)));
  EXPECT_NE(describe(make_kill_trial(5, kClients)), describe(make_kill_trial(6, kClients)));
}

TEST(KillTrial, LeavesNothingOutForLong) {
  std::set<Phase> phases;
  std::set<Victim> victims;
  std::set<Loss> losses;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    for (const Kill& kill : make_kill_trial(seed, kClients).kills) {
      EXPECT_LT(kill.client, kClients);
      phases.insert(kill.phase);
      victims.insert(kill.victim);
      losses.insert(kill.loss);
    }
  }
  EXPECT_EQ(phases.size(), 3U);
  EXPECT_EQ(victims.size(), 3U);
  EXPECT_EQ(losses.size(), kLosses);
}

}  // namespace
}  // namespace fedrk::test

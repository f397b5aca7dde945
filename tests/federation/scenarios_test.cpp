// SPDX-License-Identifier: Apache-2.0

// Whatever happens to the network, to the server or to its clients, a run ends, with the bits of `fedrk solve`.
//
//     FEDRK_SCENARIOS=300 FEDRK_SEED=7000 build/tests/bin/test_federation_scenarios     scenarios 7000 to 7299

#include <cstdlib>
#include <set>

#include <gtest/gtest.h>

#include "support/scenario.hpp"

namespace fedrk::test {
namespace {

using std::chrono_literals::operator""s;

constexpr std::size_t kClients = 4, kRounds = 120;
constexpr std::uint64_t kSlices = 4;  // tests of their own, so that they can run side by side

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);  // NOLINT: nobody changes it
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

const StartupKit& kit() {
  static const StartupKit kit({.table = FEDRK_SOURCE "/data/prostate.csv",
                               .plan = "target = \"lpsa\"\nstandardize = true\nintercept = true\n"
                                       "method = \"published\"\nparticipants = 3\nkeep = 5\nseed = 3\nrounds = " +
                                       std::to_string(kRounds) + "\n",
                               .clients = kClients});
  return kit;
}

class Scenarios : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Scenarios, EndWithTheBitsOfOneProcess) {
  if (!has_federation()) GTEST_SKIP() << "this program has no command named server";
  const std::uint64_t first = from_environment("FEDRK_SEED", 1), count = from_environment("FEDRK_SCENARIOS", 32);
  for (std::uint64_t i = GetParam(); i < count; i += kSlices) {
    EXPECT_TRUE(play(make_scenario(first + i, kClients, kRounds), kit(), 60s));
  }
}

INSTANTIATE_TEST_SUITE_P(Slices, Scenarios, testing::Range(std::uint64_t{0}, kSlices));

TEST(Scenario, IsTheSameForTheSameSeed) {
  EXPECT_EQ(describe(make_scenario(5, 4, 100)), describe(make_scenario(5, 4, 100)));
  EXPECT_NE(describe(make_scenario(5, 4, 100)), describe(make_scenario(6, 4, 100)));
}

TEST(Scenario, LeavesNoFaultOutForLong) {
  std::set<Fault> seen;
  for (std::uint64_t seed = 1; seed <= 32; ++seed) {
    for (const Disturbance& what : make_scenario(seed, kClients, kRounds).disturbances) {
      seen.insert(what.fault);
      EXPECT_LT(what.client, kClients);
      EXPECT_LT(what.after_round, kRounds);
    }
  }
  EXPECT_EQ(seen.size(), kFaults);
}

}  // namespace
}  // namespace fedrk::test

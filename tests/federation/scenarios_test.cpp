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

constexpr std::size_t kKits = 5, kClients = 4, kRounds = 100;
#ifdef FEDRK_SANITIZED
constexpr std::uint64_t kScenarios = 12;  // each takes three times as long
#else
constexpr std::uint64_t kScenarios = 32;
#endif
constexpr std::uint64_t kSlices = 4;  // tests of their own, so that they can run side by side

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);  // NOLINT: nobody changes it
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

KitSpec prostate(const std::string& entries, bool masked = false) {
  return {.table = FEDRK_SOURCE "/data/prostate.csv",
          .plan = "target = \"lpsa\"\nstandardize = true\nintercept = true\nparticipants = 3\nseed = 3\n" + entries,
          .clients = kClients,
          .masked = masked,
          .rules = masked ? kUnlimited : ""};
}

// Equations that have a solution.
KitSpec consistent(const std::string& entries, bool masked = false) {
  return {.generate = {"gaussian", "--rows", "240", "--cols", "60"},
          .plan = "participants = 3\nseed = 3\nlocal-steps = 5\n" + entries,
          .clients = kClients,
          .masked = masked,
          .rules = masked ? kUnlimited : ""};
}

const StartupKit& kit(std::size_t index) {
  static const StartupKit by_fedrk(prostate("method = \"fedrk\"\nrounds = 120\n"));
  static const StartupKit sums(consistent("rounds = 120\n"));
  static const StartupKit fit({.generate = {"gaussian", "--rows", "130", "--cols", "110", "--noise", "0.1"},
                               .plan = "goal = \"fit\"\nmethod = \"cg\"\nintercept = false\nseed = 3\n",
                               .clients = kClients,
                               .masked = false});
  static const StartupKit masked_fit({.generate = {"gaussian", "--rows", "130", "--cols", "110", "--noise", "0.1"},
                                      .plan = "goal = \"fit\"\nmethod = \"cg\"\nintercept = false\nseed = 3\n",
                                      .clients = kClients,
                                      .masked = true,
                                      .rules = kUnlimited});
  static const StartupKit masked(consistent("rounds = 400\ntolerance = 1e-8\n", true));
  const StartupKit* const kits[kKits] = {&by_fedrk, &sums, &fit, &masked, &masked_fit};
  return *kits[index];
}

class Scenarios : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Scenarios, EndAsTheyShould) {
  const std::uint64_t first = from_environment("FEDRK_SEED", 1),
                      count = from_environment("FEDRK_SCENARIOS", kScenarios);
  for (std::uint64_t i = GetParam(); i < count; i += kSlices) {
    const Scenario scenario = make_scenario(first + i, kKits, kClients, kRounds);
    EXPECT_TRUE(play(scenario, kit(scenario.kit), 60s));
  }
}

INSTANTIATE_TEST_SUITE_P(Slices, Scenarios, testing::Range(std::uint64_t{0}, kSlices));

TEST(Scenario, IsTheSameForTheSameSeed) {
  EXPECT_EQ(describe(make_scenario(5, 3, 4, 100)), describe(make_scenario(5, 3, 4, 100)));
  EXPECT_NE(describe(make_scenario(5, 3, 4, 100)), describe(make_scenario(6, 3, 4, 100)));
}

TEST(Scenario, LeavesNoFaultOutForLong) {
  std::set<Fault> seen;
  for (std::uint64_t seed = 1; seed <= 32; ++seed) {
    for (const Disturbance& what : make_scenario(seed, kKits, kClients, kRounds).disturbances) {
      seen.insert(what.fault);
      EXPECT_LT(what.client, kClients);
      EXPECT_LT(what.after_round, kRounds);
    }
  }
  EXPECT_EQ(seen.size(), kFaults);
}

}  // namespace
}  // namespace fedrk::test

// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the tests of federations share: one of them, and its good end.

#include <optional>
#include <utility>

#include <gtest/gtest.h>

#include "support/federation.hpp"
#include "support/lossy_run.hpp"

namespace fedrk::test {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

constexpr int kDone = 0, kRunFailed = 1, kBadInput = 2, kStoppedEarly = 3;  // exit codes

/// The prostate data in a run of a second, or less.
inline KitSpec prostate(const std::string& entries, std::size_t clients, bool masked = false) {
  return {.table = FEDRK_SOURCE "/data/prostate.csv",
          .plan = "target = \"lpsa\"\nstandardize = true\nintercept = true\nseed = 3\n" +
                  std::string(entries.starts_with("participants") ? "" : "participants = 3\n") + entries,
          .clients = clients,
          .masked = masked,
          .rules = masked ? kUnlimited : ""};
}

inline const StartupKit& by_fedrk() {
  static const StartupKit kit(prostate("method = \"fedrk\"\nkeep = 5\nrounds = 200\n", 4));
  return kit;
}

/// Without a fit at its end, so that its rounds go on whoever is missing.
inline const StartupKit& rounds_only() {
  static const StartupKit kit(prostate("method = \"fedrk\"\nrounds = 200\n", 4));
  return kit;
}

/// Equations that have a solution, by summed hyperplanes; somewhat more than a hundred rounds.
inline KitSpec consistent(const std::string& entries, std::size_t clients, bool masked = false) {
  return {.generate = {"gaussian", "--rows", "240", "--cols", "60"},
          .plan = "seed = 3\nlocal-steps = 5\n" + entries,
          .clients = clients,
          .masked = masked,
          .rules = masked ? kUnlimited : ""};
}

inline const StartupKit& sums() {
  static const StartupKit kit(consistent("participants = 3\nrounds = 200\n", 4));
  return kit;
}

/// With masked sums over four of five clients.
inline const StartupKit& masked_sums() {
  static const StartupKit kit(consistent("participants = 4\nrounds = 400\ntolerance = 1e-9\n", 5, true));
  return kit;
}

class FederationTest : public testing::Test {
 protected:
  Federation& begin(const StartupKit& kit = by_fedrk(), Arguments server_flags = patient_limits()) {
    kit_ = &kit;
    return federation_.emplace(kit, std::move(server_flags));
  }

  bool reaches(std::size_t round) {
    return wait_until(30s, [&] { return federation_->round() >= round; });
  }

  void expect_clients_to_give(int code) {
    for (std::size_t i = 0; i < federation_->clients(); ++i) {
      if (!federation_->client_started(i)) continue;
      EXPECT_EQ(federation_->client(i).wait(20s), code) << federation_->story();
    }
  }

  /// With the bits of one process, or where sums are masked, its solution.
  void expect_a_good_end() {
    EXPECT_EQ(federation_->server().wait(60s), kit_->code()) << federation_->story();
    if (kit_->masked()) {
      // Draws and grid are not those of one process; the solution is, as far as the tolerance of the run goes: 1e-9 of
      // what the extended equations lack, which is some 1e-8 of the coefficients.
      EXPECT_LT(distance_of_solutions(federation_->solution(), kit_->expected()), 1e-7);
    } else {
      EXPECT_EQ(federation_->solution(), kit_->expected());
    }
    expect_clients_to_give(kit_->code());
  }

  const StartupKit* kit_ = nullptr;
  std::optional<Federation> federation_;
};

}  // namespace fedrk::test

// SPDX-License-Identifier: Apache-2.0
#pragma once

// A masked run whose processes are killed at moments drawn from a seed, and whose disks lose what they should keep or
// bring back what is old. Whatever happens, the run ends with the bits of one that nobody disturbed, or whoever cannot
// go on says why.
//
// What a run draws depends on keys that its clients make as it begins. So the undisturbed run is a twin: once the
// set-up is over all processes are killed, and a copy of all folders goes on by itself.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/federation.hpp"

namespace fedrk::test {

enum class Phase { SetUp, Rounds, End };
enum class Victim { Server, Client, Both };
enum class Loss {
  Nothing,
  JournalEnd,   // the log before run.db ends earlier, as after a power cut where a disk did not keep its word
  JournalBack,  // run.db and its log are those of an earlier moment
  MasksEnd,     // the log before a client's masks.db ends earlier
  StateBack,    // a client's state folder is that of an earlier moment
  SiteBack      // and so are the counts beside it, as where a whole machine was restored
};
constexpr std::size_t kLosses = 6;

struct Kill {
  Phase phase = Phase::Rounds;
  Victim victim = Victim::Server;
  std::size_t client = 0;
  Loss loss = Loss::Nothing;
  double moment = 0.0;  // of the phase, from 0 to 1
  double left = 0.0;    // of a log that loses its end
};

struct KillTrial {
  std::uint64_t seed = 0;
  std::vector<Kill> kills;  // by phase
};

/// The trial of a seed, for so many clients.
KillTrial make_kill_trial(std::uint64_t seed, std::size_t clients);
std::string describe(const KillTrial& trial);

/// What became of kills, by kind.
struct KillTally {
  struct Counts {
    std::size_t kills = 0, refusals = 0;
  };
  std::map<std::string, Counts> kinds{};
  std::map<std::string, std::size_t> words{};  // of refusals
  std::size_t runs = 0;                        // that ended with the bits of their twin

  std::size_t kills() const;
  std::string text() const;
};

/// Plays it. Where somebody refuses what an earlier moment left it, the newest files are put back and the run must go
/// on.
testing::AssertionResult play(const KillTrial& trial, const StartupKit& kit, KillTally& tally);

}  // namespace fedrk::test

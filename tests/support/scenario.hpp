// SPDX-License-Identifier: Apache-2.0
#pragma once

// Chaos scenarios of a federation, drawn from a seed: who starts when, what fails in which round and for how long. One
// seed is one scenario, so that a failing one can be repeated.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/federation.hpp"

namespace fedrk::test {

enum class Fault {
  KillServer,       // and start it again after the duration
  ResumeServer,     // killed too, but fedrk resume brings it back
  TerminateServer,  // by SIGTERM, and start it again
  EndRun,           // by fedrk stop; then resume, with new clients
  StopServer,       // and let it go on
  KillClient,       // and start it again
  StopClient,       // and let it go on
  Cut,              // a client's connections, once
  CutAll,           // everybody's
  Partition,        // a client hears nothing and is not heard
  PartitionAll,     // nor is anybody
  Refuse,           // a client's connections are cut, and refused for a while
  Deafen,           // a client speaks but does not hear
  Mute,             // a client hears but is not heard
  Delay,            // a client's messages take longer
  Slow              // a client's line is thin
};
constexpr std::size_t kFaults = 16;

struct Disturbance {
  Fault fault;
  std::size_t after_round;  // as soon as the server tells of it; 0: while clients still join
  std::size_t client;
  milliseconds lasts;
};

struct Scenario {
  std::uint64_t seed = 0;
  std::size_t kit = 0;     // of those that the test has
  bool impatient = false;  // the server waits for nobody for long: rounds may be without someone
  /// When each process starts, the server first in the list.
  std::vector<milliseconds> starts;
  std::vector<Disturbance> disturbances;
};

/// The scenario of a seed, for a run of so many clients and rounds.
Scenario make_scenario(std::uint64_t seed, std::size_t kits, std::size_t clients, std::size_t rounds);

std::string describe(const Scenario& scenario);

/// Plays it: says whether the run ended as it should. If no round was without someone that is with the bits of one
/// process; else the history says who was missing and why.
testing::AssertionResult play(const Scenario& scenario, const StartupKit& kit, milliseconds limit);

}  // namespace fedrk::test

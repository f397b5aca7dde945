// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where a run leaves its state now and then, so that another process can go on from there. The round loop alone knows
// when its state is whole: after a round, and not within a sweep.

#include <optional>
#include <span>
#include <string>

#include "fedrk/history.hpp"

namespace fedrk {

/// Members of a class as bytes and back (src/round/state_stream.hpp).
class StateStream;

class Checkpoints {
 public:
  struct Saved {
    std::string state;
    RunHistory history;  // of all rounds up to there
  };

  virtual ~Checkpoints() = default;

  /// What an earlier process left, if anything.
  virtual std::optional<Saved> saved() = 0;
  /// Whether it is time to save. When that is must not matter to the run.
  virtual bool due() = 0;
  /// `rounds`: those since the last time, or since `saved`.
  virtual void save(std::string state, std::span<const RoundRecord> rounds) = 0;
};

}  // namespace fedrk

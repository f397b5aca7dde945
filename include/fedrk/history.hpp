// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a run leaves behind, computed only from what the server may see.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "fedrk/engine.hpp"

namespace fedrk {

struct RoundRecord {
  RoundIndex round;
  std::vector<ClientId> participants;  // who answered
  std::vector<Absence> absences;
  /// Relative residual at the start of the round, as its participants report it: the root mean square of their rows'
  /// residuals over that of everyone's right-hand side. Absent in rounds that did not ask.
  std::optional<double> relative_residual;
  double movement = 0.0;  // ||x^(t+1) - x^(t)||
  double seconds = 0.0;
  std::uint64_t bytes_up = 0;    // from the clients, all together
  std::uint64_t bytes_down = 0;  // to them
  static constexpr auto fields(auto& self) {
    return std::tie(self.round, self.participants, self.absences, self.relative_residual, self.movement, self.seconds,
                    self.bytes_up, self.bytes_down);
  }
};

using RunHistory = std::vector<RoundRecord>;

enum class Termination {
  RoundLimit,       // all rounds were made
  Tolerance,        // every client's residual together is within the tolerance
  Stagnation,       // the residual has stopped falling
  Converged,        // the method has nothing more to do
  Contradictory,    // the equations have no solution, or none that this precision can find
  Interrupted,      // somebody asked to stop
  Diverged,         // x left the range of numbers; the result is the last x within it
  Deadline,         // the time of the run was up
  ClientsLost,      // too few clients were left to go on
  DisclosureLimit,  // the owners of the rows let sums show no more of them
};

/// Whether something outside the method ended the run, so that its rounds could go on where they were left.
constexpr bool resumable(Termination termination) {
  return termination == Termination::Interrupted || termination == Termination::Deadline ||
         termination == Termination::ClientsLost;
}

/// What became of a run as a whole.
enum class RunStatus {
  Completed,    // and converged, where that could be measured
  Unconverged,  // the answer is the best that was found
  Stopped,      // by a request or its time limit
  Failed,       // x left the range of numbers, or too few clients were left
};

constexpr RunStatus status_of(Termination termination, std::optional<bool> converged) {
  if (termination == Termination::Interrupted || termination == Termination::Deadline) return RunStatus::Stopped;
  if (termination == Termination::Diverged || termination == Termination::ClientsLost) return RunStatus::Failed;
  return converged == false ? RunStatus::Unconverged : RunStatus::Completed;
}

}  // namespace fedrk

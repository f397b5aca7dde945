// SPDX-License-Identifier: Apache-2.0
#pragma once

// When to end before the last round.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "fedrk/history.hpp"

namespace fedrk {

// Is the residual still falling? The one test behind stopping and behind what a person is told.
//
// Two neighbouring stretches of rounds are compared by the mean logarithm of their residuals. Random draws scatter the
// residuals, so a fall counts only where it is larger than the scatter of the two means.

struct ResidualTrend {
  double level = 0.0;    // geometric mean over the later stretch
  bool falling = false;  // by more than 1 % and more than the scatter from the earlier stretch
};

/// Compares the last `stretch` rounds with the `stretch` before. Nothing where either holds fewer than ten reports.
std::optional<ResidualTrend> residual_trend(const RunHistory& history, std::size_t stretch);

struct StoppingRule {
  double tolerance = 0.0;      // on the relative residual; 0: none
  std::uint32_t patience = 0;  // rounds without progress; 0: endless

  /// True when the participants of the last round were within the tolerance at its start. They are a sample: the caller
  /// asks the others before it stops.
  bool tolerance_seems_met(const RunHistory& history) const;

  /// True when the last `patience` rounds, and the last quarter of the run, brought the residual no further down.
  /// Looked at every `patience` rounds.
  bool stagnant(const RunHistory& history) const;
};

}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#pragma once

// When to end before the last round.

#include <cstdint>

#include "fedrk/history.hpp"

namespace fedrk {

struct StoppingRule {
  double tolerance = 0.0;      // on the relative residual; 0: none
  std::uint32_t patience = 0;  // rounds without progress; 0: endless

  /// True when the participants of the last round were within the tolerance at its start. They are a sample: the caller
  /// asks the others before it stops.
  bool tolerance_seems_met(const RunHistory& history) const;

  /// True when the last `patience` rounds, and the last quarter of the run, brought the residual no further down (see
  /// residual_trend.hpp). Looked at every `patience` rounds.
  bool stagnant(const RunHistory& history) const;
};

}  // namespace fedrk

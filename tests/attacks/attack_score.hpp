// SPDX-License-Identifier: Apache-2.0
#pragma once

// What an attack is worth, by the truth that it did not see.

#include <cstddef>
#include <span>

#include "analysis/record_attack.hpp"
#include "fedrk/system.hpp"

namespace fedrk {

struct AttackScore {
  std::size_t records = 0;  // that are there to be found
  std::size_t found = 0;    // of these
  std::size_t wrong = 0;    // claimed, and nobody's
};

/// Compares (a, b) as they are, each with the record nearest to it, to a relative `tolerance` of its length.
AttackScore score_of(std::span<const RecoveredRecord> claimed, std::span<const LinearSystem> truth,
                     double tolerance = 1e-6);

/// ||claimed - truth|| / ||truth|| of two lists of one length.
double relative_error(std::span<const double> claimed, std::span<const double> truth);

}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#pragma once

// The settings of the rules in disclosure.hpp, and their defaults: for those who need the numbers and no ledger.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fedrk::network {

/// An owner's settings.
struct DisclosureRules {
  std::size_t min_sum = 3;          // clients of a sum, at least
  std::size_t min_rows = 10;        // of a table that takes part, and records that change between two runs
  double max_share = 0.2;           // directions for each row in a sum
  std::vector<std::string> left{};  // clients that take part no more, whose part in earlier sums may be told

  /// How many directions of the span of so many rows sums may show.
  std::uint64_t directions_of(std::uint64_t rows) const {
    constexpr double kEnough = 0x1p62;
    return static_cast<std::uint64_t>(std::min(kEnough, max_share * static_cast<double>(rows)));
  }
};

}  // namespace fedrk::network

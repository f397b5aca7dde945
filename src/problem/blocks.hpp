// SPDX-License-Identifier: Apache-2.0
#pragma once

// Clients dealt out to ranks in consecutive blocks: rank r has the clients first[r] .. first[r + 1] - 1. Consecutive,
// because sums are added up in client order and then each rank has to be asked once only.

#include <cstddef>
#include <span>
#include <vector>

namespace fedrk {

/// The heaviest block is as light as it can be. Everyone gets a client where there are enough.
/// REQUIRES: at least one rank; the sum of the weights can be counted.
std::vector<std::size_t> balanced_blocks(std::span<const std::size_t> weights, std::size_t ranks);

}  // namespace fedrk

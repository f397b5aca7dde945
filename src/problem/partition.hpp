// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which rows go to which client.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fedrk/system.hpp"

namespace fedrk {

/// Client i takes the next counts[i] rows of `order`, which lists row numbers (empty: the order of the file).
struct Partition {
  std::vector<std::size_t> order;
  std::vector<std::size_t> counts;
  std::vector<std::string> names;
};

/// Even shares in file order; the first rows mod clients clients hold one row more. Throws InvalidArgument where a
/// client would stay without rows.
Partition partition_contiguous(std::size_t rows, std::size_t clients);

/// Even shares of the rows in random order.
Partition partition_shuffled(std::size_t rows, std::size_t clients, std::uint64_t seed);

/// One client for each different label, named after it, in order of first appearance.
Partition partition_by_label(std::span<const std::string> labels);

/// Moves the rows into one system a client. Dense rows stay where they are in memory.
std::vector<LinearSystem> split(LinearSystem system, const Partition& partition);

// Clients dealt out to ranks in consecutive blocks: rank r has the clients first[r] .. first[r + 1] - 1. Consecutive,
// because sums are added up in client order and then each rank has to be asked once only.

/// The heaviest block is as light as it can be. Everyone gets a client where there are enough.
/// REQUIRES: at least one rank; the sum of the weights can be counted.
std::vector<std::size_t> balanced_blocks(std::span<const std::size_t> weights, std::size_t ranks);

}  // namespace fedrk

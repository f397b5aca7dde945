// SPDX-License-Identifier: Apache-2.0
#include "problem/blocks.hpp"

#include <algorithm>
#include <numeric>

#include "fedrk/contracts.hpp"

namespace fedrk {
namespace {

// As many clients into each block as it may weigh, yet leaving one for every rank that follows.
std::vector<std::size_t> filled_up_to(std::size_t limit, std::span<const std::size_t> weights, std::size_t ranks) {
  std::vector<std::size_t> first{0};
  std::size_t next = 0;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const std::size_t after = std::min(ranks - rank - 1, weights.size() - next);
    const std::size_t end = std::max(weights.size() - after, next);
    std::size_t weight = 0;
    for (bool empty = true; next < end && (empty || weights[next] <= limit - std::min(limit, weight)); ++next) {
      weight += weights[next];
      empty = false;
    }
    first.push_back(next);
  }
  return first;
}

}  // namespace

std::vector<std::size_t> balanced_blocks(std::span<const std::size_t> weights, std::size_t ranks) {
  FEDRK_EXPECTS(ranks > 0);
  std::size_t high = std::accumulate(weights.begin(), weights.end(), std::size_t{0});
  std::size_t low = weights.empty() ? 0 : *std::ranges::max_element(weights);
  low = std::max(low, high / ranks);
  while (low < high) {  // the smallest limit under which all clients find room
    const std::size_t middle = low + (high - low) / 2;
    if (filled_up_to(middle, weights, ranks).back() == weights.size()) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return filled_up_to(low, weights, ranks);
}

}  // namespace fedrk

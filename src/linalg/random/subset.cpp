// SPDX-License-Identifier: Apache-2.0
#include "linalg/random/subset.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "fedrk/contracts.hpp"

namespace fedrk {

std::vector<std::size_t> draw_subset(std::size_t population, std::size_t count, RngStream& stream) {
  FEDRK_EXPECTS(count <= population);
  std::unordered_set<std::size_t> seen;
  std::vector<std::size_t> chosen;
  chosen.reserve(count);
  for (std::size_t last = population - count; last < population; ++last) {
    const auto candidate = static_cast<std::size_t>(stream.below(last + 1));
    chosen.push_back(seen.insert(candidate).second ? candidate : last);
    seen.insert(chosen.back());
  }
  std::ranges::sort(chosen);
  return chosen;
}

std::vector<std::size_t> draw_permutation(std::size_t count, RngStream& stream) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t left = count; left > 1; --left) {
    std::swap(order[left - 1], order[static_cast<std::size_t>(stream.below(left))]);
  }
  return order;
}

}  // namespace fedrk

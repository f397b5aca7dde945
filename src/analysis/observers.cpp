// SPDX-License-Identifier: Apache-2.0
#include "analysis/observers.hpp"

#include <algorithm>
#include <numeric>

#include "round/state_stream.hpp"

namespace fedrk {

void SelectionCounts::on_round(const RoundRecord&, std::span<const double> x) {
  counts_.resize(x.size(), 0);
  for (std::size_t j = 0; j < x.size(); ++j) counts_[j] += x[j] != 0.0 ? 1 : 0;
}

void SelectionCounts::state(StateStream& stream) { stream(counts_); }

std::vector<std::size_t> most_selected(const std::vector<std::uint64_t>& counts) {
  std::vector<std::size_t> order(counts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t j) { return counts[j]; });
  return order;
}

void ErrorToTruth::state(StateStream& stream) { stream(errors_); }

}  // namespace fedrk

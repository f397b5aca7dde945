// SPDX-License-Identifier: Apache-2.0
#include "secure_sum/grid_scale.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace fedrk::masking {
namespace {

constexpr int kRange = 62;     // bits of a word, the sign and one for rounding left out
constexpr int kHeadroom = 10;  // bits by which a part may be larger than the last sum
constexpr int kShrunk = 7;     // bits by which a sum may be smaller: of four parts it is then still known to 1e-12

// Bits that a sum as large as the last one has.
int precision(std::size_t parties) { return kRange - kHeadroom - static_cast<int>(std::bit_width(parties)); }

double largest_entry(std::span<const double> sum) {
  double largest = 0.0;
  for (const double value : sum) largest = std::max(largest, std::abs(value));
  return largest;
}

}  // namespace

Grid GridScale::next(const LocalTask& task, std::size_t parties) const {
  // Private answers are on a grid of their own, below 2^52 units each.
  const auto of_noise = grid_of_noise(task.work);
  if (of_noise && parties <= (std::size_t{1} << (kRange - 52))) return {*of_noise};
  if (std::holds_alternative<CrossProducts>(task.work)) return {};  // asked for once, of any size
  const auto found = sizes_.find(kind_of(task));
  if (found == sizes_.end()) return {};
  return {std::clamp(found->second - precision(parties), kFinest, kCoarsest)};
}

void GridScale::learn(const LocalTask& task, std::span<const double> sum) {
  const double largest = largest_entry(sum);
  if (!(largest > 0.0) || !std::isfinite(largest)) return forget(task);  // no size to follow
  sizes_[kind_of(task)] = std::ilogb(largest) + 1;
}

bool GridScale::too_coarse(const LocalTask& task, const Grid& grid, std::size_t parties, std::span<const double> sum) {
  if (!grid.exponent || *grid.exponent <= kWideExponent || sum.empty()) return false;  // none is finer
  if (grid_of_noise(task.work)) return false;                                          // made for its grid
  return largest_entry(sum) < std::ldexp(1.0, *grid.exponent + precision(parties) - kShrunk);
}

}  // namespace fedrk::masking

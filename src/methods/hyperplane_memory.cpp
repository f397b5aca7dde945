// SPDX-License-Identifier: Apache-2.0
#include "methods/hyperplane_memory.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "linalg/row_products.hpp"

namespace fedrk {
namespace {

// What is left of a normal outside the basis is rounding where it is below this share of the normal. Scaled up to
// length one it would be noise, and ruin x.
constexpr double kRoundingShare = 1e-10;
constexpr double kRoundingOfX = 4.0 * std::numeric_limits<double>::epsilon();  // so is a displacement as short as that
// At a sharp angle to those before, a hyperplane of a solution may be far off, but not a thousand times as far as x and
// that hyperplane are. One that is contradicts the others, and is left out.
constexpr double kSharpShare = 1e-6, kAbsurd = 1e3;

}  // namespace

void HyperplaneMemory::project(RoundIndex t, std::span<Hyperplane> planes, std::span<double> x) {
  forget(t, x.size());
  std::vector<double> gaps(basis_.size());
  multiply_rows(direction_at(), x, gaps);
  for (std::size_t j = 0; j < gaps.size(); ++j) gaps[j] = basis_[j].offset - gaps[j];
  for (Hyperplane& plane : planes) learn(t, plane, x, gaps);
  add_rows(direction_at(), gaps, x);
}

void HyperplaneMemory::forget(RoundIndex t, std::size_t unknowns) {
  while (!basis_.empty() && t.value - basis_.front().round > rounds_) basis_.pop_front();
  const std::size_t most = std::max<std::size_t>(1, bytes_ / (sizeof(double) * std::max<std::size_t>(1, unknowns)));
  while (basis_.size() > most) basis_.pop_front();
}

void HyperplaneMemory::learn(RoundIndex t, Hyperplane& plane, std::span<const double> x, std::vector<double>& gaps) {
  const double length = std::sqrt(plane.squared_norm), size_of_x = std::sqrt(squared_norm(x));
  if (length <= kRoundingOfX * size_of_x) return;
  AlignedVector direction = std::move(plane.normal);
  double gap = plane.gap;
  std::vector<double> within(basis_.size());
  for (int pass = 0; pass < 2; ++pass) {
    multiply_rows(direction_at(), direction, within);
    gap -= dot(within, gaps);
    for (double& share : within) share = -share;
    add_rows(direction_at(), within, direction);
  }
  const double left = std::sqrt(squared_norm(direction));
  if (left <= kRoundingShare * length) return;
  const double distance_along = gap / left, distance_to_plane = std::abs(plane.gap) / length;
  const double bearable = kAbsurd * std::max(size_of_x, distance_to_plane);
  if (left <= kSharpShare * length && std::abs(distance_along) > bearable) return;
  for (double& entry : direction) entry /= left;
  gaps.push_back(distance_along);
  const double offset = dot(direction, x) + gaps.back();
  basis_.push_back({t.value, std::move(direction), offset});
}

}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#include "fedrk/methods/hyperplane_memory.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "fedrk/linalg/row_products.hpp"

namespace fedrk {
namespace {

// What is left of a normal outside the basis is rounding where it is below this share of the normal. Scaled up to
// length one it would be noise, and ruin x.
constexpr double kRoundingShare = 1e-12;
constexpr double kApart = 1e-6;  // of the length of x and of its way: more than rounding puts between hyperplanes

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
  const double length = std::sqrt(plane.squared_norm);
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
  if (left <= kRoundingShare * length) {
    const double size = std::sqrt(squared_norm(x) + squared_norm(gaps));  // of x, or of the way to what is known
    contradicted_ = contradicted_ || std::abs(gap) > kApart * length * size;
    return;
  }
  for (double& entry : direction) entry /= left;
  gaps.push_back(gap / left);
  const double offset = dot(direction, x) + gaps.back();
  basis_.push_back({t.value, std::move(direction), offset});
}

}  // namespace fedrk

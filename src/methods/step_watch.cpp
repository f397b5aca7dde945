// SPDX-License-Identifier: Apache-2.0
#include "fedrk/methods/step_watch.hpp"

#include <algorithm>

#include "fedrk/linalg/kernels.hpp"

namespace fedrk {
namespace {

double squared_distance(std::span<const double> a, std::span<const double> b) {
  const double length = distance(a, b);
  return length * length;
}

}  // namespace

void StepWatch::see(std::span<const double> before, std::span<const double> x) {
  if (rounds_ % kStretch == 0) {
    rounds_ = 0;
    start_ = aligned_copy(before);
    squared_steps_ = farthest_ = 0.0;
  }
  ++rounds_;
  squared_steps_ += squared_distance(before, x);
  farthest_ = std::max(farthest_, squared_distance(start_, x));
  going_nowhere_ = squared_steps_ > kMuch * farthest_;
}

}  // namespace fedrk

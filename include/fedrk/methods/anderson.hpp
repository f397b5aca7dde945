// SPDX-License-Identifier: Apache-2.0
#pragma once

// Anderson's acceleration of a fixed-point iteration c <- g(c).
//
// Of the last points c_k with images g_k and residuals f_k = g_k - c_k the next point is the affine combination of
// images whose residuals combine to the shortest vector. Images may be inexact; large weights, which would make much of
// their noise, are held down by a penalty.

#include <cstddef>
#include <deque>
#include <limits>
#include <span>
#include <vector>

namespace fedrk {

class Anderson {
 public:
  /// `depth` earlier points are used; 0: plain iteration. `damping` is the share of the differences between residuals
  /// that counts as noise: 0 for images that are exact.
  explicit Anderson(std::size_t depth, double damping = 0.0) : depth_(depth), damping_(damping) {}

  /// The next point, from this one and its image. Where the residual has grown much beyond the shortest so far, the
  /// points before it are forgotten, as what was extrapolated from them led astray: plain steps come until it is back.
  std::vector<double> next(std::span<const double> point, std::span<const double> image);

 private:
  struct Pair {
    std::vector<double> image, residual;
  };
  std::size_t depth_;
  double damping_;
  std::deque<Pair> pairs_;
  double shortest_ = std::numeric_limits<double>::infinity();  // residual so far
};

}  // namespace fedrk

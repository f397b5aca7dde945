// SPDX-License-Identifier: Apache-2.0
#pragma once

// Do the server's steps lead anywhere? How a server that sees only x recognises equations that contradict each other.
//
// A projection onto hyperplanes that hold a solution x* shortens the way to it: ||x_t - x*||^2 falls by the square of
// the step. So within any stretch of rounds that begins at x_0
//
//     sum ||step||^2 = ||x_0 - x*||^2 - ||x_t - x*||^2 <= 2 ||x_0 - x*|| ||x_t - x_0||,
//
// and steps that add up to much more than the square of the distance they cover are those of a run that has hardly left
// its place on a long way. Where there is no solution the iterates hover, and after k rounds the sum is about k times
// the squared distance. The watch says so where it is twenty times; zigzags between hyperplanes at sharp angles, which
// do lead to a solution, reach some ten.

#include <cmath>
#include <cstddef>
#include <span>

#include "fedrk/linalg/aligned_vector.hpp"

namespace fedrk {

class StepWatch {
 public:
  /// To be told of every round: where x was before it, and where it is now.
  void see(std::span<const double> before, std::span<const double> x);

  /// True when the rounds of the present stretch went nowhere.
  bool going_nowhere() const { return going_nowhere_; }

  /// How far x came from where the stretch began, at most.
  double farthest() const { return std::sqrt(farthest_); }

 private:
  static constexpr std::size_t kStretch = 120;  // rounds; then a new one begins, without what came before it
  static constexpr double kMuch = 20.0;

  std::size_t rounds_ = 0;
  AlignedVector start_;
  double squared_steps_ = 0.0, farthest_ = 0.0;  // squared
  bool going_nowhere_ = false;
};

}  // namespace fedrk

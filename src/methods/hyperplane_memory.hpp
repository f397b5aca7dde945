// SPDX-License-Identifier: Apache-2.0
#pragma once

// The valid hyperplanes of the last rounds, and the projection onto all of them at once.
//
// A hyperplane that holds every solution (hyperplane.hpp) never expires. Kept as an orthonormal basis q_1, q_2, ... of
// the normals with offsets d_j, the intersection is { z : <q_j, z> = d_j }, and the nearest point of it to x is
//
//     x + sum_j (d_j - <q_j, x>) q_j.
//
// A new normal is freed of its part within the basis (Gram and Schmidt, twice), and its gap with it. Forgetting the
// oldest vectors leaves the others valid, as each stands for an equation of its own.

#include <cstddef>
#include <deque>
#include <limits>
#include <span>
#include <tuple>

#include "fedrk/round_index.hpp"
#include "round/hyperplane.hpp"

namespace fedrk {

class HyperplaneMemory {
 public:
  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

  /// Keeps the hyperplanes of `rounds` rounds besides the present one, as far as they fit into `bytes`.
  HyperplaneMemory(std::size_t rounds, std::size_t bytes) : rounds_(rounds), bytes_(bytes) {}

  /// Moves `x`, to which the gaps of the planes belong, to the nearest point of all hyperplanes, and keeps the new
  /// ones. One that says no more than is known, up to rounding, is left out, and so is one that contradicts them.
  void project(RoundIndex t, std::span<Hyperplane> planes, std::span<double> x);

  std::size_t size() const { return basis_.size(); }

  /// What changes.
  static constexpr auto fields(auto& self) { return std::tie(self.basis_); }

 private:
  struct Vector {
    std::uint32_t round = 0;
    AlignedVector direction;
    double offset = 0.0;
    static constexpr auto fields(auto& self) { return std::tie(self.round, self.direction, self.offset); }
  };

  void forget(RoundIndex t, std::size_t unknowns);
  void learn(RoundIndex t, Hyperplane& plane, std::span<const double> x, std::vector<double>& gaps);
  auto direction_at() const {
    return [this](std::size_t j) { return std::span<const double>(basis_[j].direction); };
  }

  std::size_t rounds_, bytes_;
  std::deque<Vector> basis_;
};

}  // namespace fedrk

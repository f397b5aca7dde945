// SPDX-License-Identifier: Apache-2.0
#pragma once

// How the server reads a displacement: as the hyperplane through the client's end point, at right angles to the way
// there,
//
//     { z : <Delta_i, z> = <Delta_i, Delta_i + x> }.

#include <optional>
#include <span>
#include <vector>

#include "fedrk/federated/engine.hpp"
#include "fedrk/kaczmarz/projection.hpp"

namespace fedrk {

struct Hyperplane {
  std::vector<double> normal;
  double offset = 0.0;
  double squared_norm = 0.0;

  HyperplaneView<std::span<const double>> view() const { return {normal, offset, squared_norm}; }
};

/// Nothing for a displacement of length zero, which names no hyperplane.
std::optional<Hyperplane> hyperplane_from(std::vector<double> delta, std::span<const double> x);

/// The hyperplanes of a round in the order of the replies, zero displacements dropped. Takes the displacements.
std::vector<Hyperplane> hyperplanes_from(std::span<LocalReply> replies, std::span<const double> x);

}  // namespace fedrk

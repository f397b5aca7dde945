// SPDX-License-Identifier: Apache-2.0
#pragma once

// How the server reads a displacement: as the hyperplane through the client's end point, at right angles to the way
// there,
//
//     { z : <Delta_i, z> = <Delta_i, Delta_i + x> }  =  { z : <Delta_i, z - x> = ||Delta_i||^2 }.
//
// That one holds the solutions of the client's equations only for tau = infinity. Where the client sends the gap too
// (gamma_i = <y_i, b_i - A_i x> for Delta_i = A_i^T y_i, randomized_kaczmarz.hpp), the hyperplane
// { z : <Delta_i, z - x> = gamma_i } holds them for every tau, and so does a sum of such: it is called valid.

#include <optional>
#include <span>
#include <vector>

#include "fedrk/engine.hpp"

namespace fedrk {

struct Hyperplane {
  AlignedVector normal;
  double gap = 0.0;           // offset - <normal, x>, free of cancellation: ||Delta_i||^2 in FedRK
  double squared_norm = 0.0;  // of the normal
};

/// Nothing for a displacement of length zero, or too short to be squared (below 1e-154), which names no hyperplane.
std::optional<Hyperplane> hyperplane_from(AlignedVector delta);

/// The hyperplanes of a round in the order of the replies, zero displacements dropped; with the gap that came along, or
/// else as in the paper. Takes the displacements.
std::vector<Hyperplane> hyperplanes_from(std::span<LocalReply> replies);

}  // namespace fedrk

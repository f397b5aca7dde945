// SPDX-License-Identifier: Apache-2.0
#pragma once

// One Kaczmarz step: the orthogonal projection of x onto the hyperplane
//
//     { z : <normal, z> = offset }.
//
// Both halves of FedRK are made of it: a client steps through its own equations, the server through the hyperplanes its
// clients reported, each on x (randomized_kaczmarz.hpp) or in coefficient space (gram_steps.hpp). Rows may be dense
// (std::span) or sparse (SparseRow).

#include <span>

#include "fedrk/contracts.hpp"
#include "linalg/kernels.hpp"

namespace fedrk {

template <class Row>
struct HyperplaneView {
  Row normal;
  double offset = 0.0;
  double squared_norm = 0.0;  // <normal, normal>, computed once when the row is built
};

/// Replaces `x` by the point of the hyperplane nearest to it.
/// REQUIRES: `x` is as long as the normal, and `squared_norm` is positive.
template <class Row>
void project(const HyperplaneView<Row>& plane, std::span<double> x) {
  FEDRK_EXPECTS(plane.squared_norm > 0.0);
  axpy((plane.offset - dot(plane.normal, x)) / plane.squared_norm, plane.normal, x);
}

}  // namespace fedrk

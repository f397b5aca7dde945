// SPDX-License-Identifier: Apache-2.0
#pragma once

// Products with framed rows, F = (A - 1 centre^T) diag(inverse_scale), in one pass over the rows as they are stored:
//
//     F^T F p   and   F^T (b - F x) with ||b - F x||^2.
//
// They are all that conjugate gradients ask of a client. With q = inverse_scale p,
//
//     u_i = <a_i, q> - <centre, q>,   (F^T u)_j = inverse_scale_j ((A^T u)_j - centre_j sum_i u_i),
//
// which loses as many digits as the centre is larger than the scale. Where a dense column is far from zero in this
// sense, entries are centred as they go by instead: nothing is lost, and a pass over rows in memory takes about a
// fifth longer. Of sparse rows only stored entries are read. `Frame::powers` is not looked at. The bits depend neither
// on the thread nor on the instruction set.

#include <span>

#include "fedrk/aligned_vector.hpp"
#include "fedrk/system.hpp"
#include "problem/frame.hpp"

namespace fedrk {

/// F^T F p. Without a frame (null) F is A.
/// Throws InvalidArgument where the frame or p has another number of columns than the rows.
AlignedVector normal_product(const LinearSystem& system, const Frame* frame, std::span<const double> p);

/// F^T (b - F x), and ||b - F x||^2 to `squared_residual` unless it is null. Throws likewise.
AlignedVector gradient(const LinearSystem& system, const Frame* frame, std::span<const double> x,
                       double* squared_residual);

}  // namespace fedrk

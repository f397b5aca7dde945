// SPDX-License-Identifier: Apache-2.0
#pragma once

// Cross-products of rows with few entries: products of what is stored, with the centres taken off at the end,
//
//     sum (a - c)(a' - c') = sum a a' - c sum a' - c' sum a + m c c'.
//
// The difference cancels, so all of it is done to twice the precision.

#include <span>

#include "fedrk/aligned_vector.hpp"
#include "fedrk/sparse_matrix.hpp"
#include "problem/frame.hpp"

namespace fedrk {

/// As `cross_product_pairs`.
AlignedVector sparse_cross_product_pairs(const SparseMatrix& rows, std::span<const double> rhs, const Frame& frame);
AlignedVector sparse_cross_product_pairs(const SparseMatrix32& rows, std::span<const double> rhs, const Frame& frame);

}  // namespace fedrk

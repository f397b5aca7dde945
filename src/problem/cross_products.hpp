// SPDX-License-Identifier: Apache-2.0
#pragma once

// The cross-products of all columns and the right-hand side,
//
//     C = Z^T Z,  Z = [A b],
//
// from which a server fits least squares, ridge and all that is made of them. One pass over the rows in blocks: besides
// a block and the triangle itself nothing is held. With a frame the columns of A count as it says; b is taken as it is.
//
// C is symmetric: its upper triangle is returned row after row, (n + 1)(n + 2)/2 numbers, C_00, C_01, ... C_0n, C_11,
// ...
//
// As pairs each number is the unevaluated sum of two doubles (linalg/double_double.hpp). Differences from the centres
// are exact, powers are computed anew from their source, and sums are compensated: the error of C_ij is about 2^-100
// sum_k |z_ki z_kj|. The normal equations square the condition number, so such sums fit what doubles cannot.
//
// The bits depend neither on the thread nor on the instruction set.

#include <cstddef>

#include "fedrk/aligned_vector.hpp"
#include "fedrk/system.hpp"
#include "problem/frame.hpp"

namespace fedrk {

/// (n + 1)(n + 2)/2 for n columns.
constexpr std::size_t cross_product_count(std::size_t cols) { return (cols + 1) * (cols + 2) / 2; }

/// C in doubles. Without a frame (null) the columns are taken as they are; powers too, whatever the frame says of them.
/// Throws InvalidArgument where the frame does not fit the columns.
AlignedVector cross_products(const LinearSystem& system, const Frame* frame);

/// C as pairs: all high parts, then all low parts. Framed entries below 2^-480 count as zero.
/// Throws likewise.
AlignedVector cross_product_pairs(const LinearSystem& system, const Frame* frame);

}  // namespace fedrk

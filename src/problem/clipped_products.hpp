// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a client answers under differential privacy to whoever wants cross-products: of rows z = (a, w b), each
// shortened to the length c where it is longer,
//
//     S = sum of s s^T,   s = z min(1, c/||z||),
//
// as the vector v(S) of its upper triangle, row after row, the entries beside the diagonal times sqrt(2): so ||v(S)||
// is the Frobenius norm, and equal noise on every number is half the variance on the entries that count twice. w weighs
// b against the columns.
//
// One row replaced by any other, of whatever size, moves v(S) by at most sqrt(2) c^2, as
//
//     ||s s^T - t t^T||^2 = ||s||^4 + ||t||^4 - 2 <s, t>^2 <= 2 c^4,
//
// which two orthogonal rows of length c attain. Each row's part is rounded to the grid by itself, to whole numbers of
// which doubles hold the sum exactly: so the row that differs is all that differs, whatever stands beside it. Its part
// is off by less than half a grid step in each of the N numbers and by 4 * 2^-53 c^2 besides, and ||s|| by (n + 9)
// 2^-53 c; methods/gaussian_privacy.hpp counts that.

#include "fedrk/aligned_vector.hpp"
#include "fedrk/question.hpp"
#include "fedrk/system.hpp"

namespace fedrk {

/// v(S), in multiples of 2^exponent, without noise. Rows with an entry that is not finite count as zero.
/// REQUIRES: bound > 0, and rows c^2 < 2^51 grid steps: beyond, sums are not exact.
AlignedVector clipped_products(const NoisyProducts& work, const LinearSystem& system);

}  // namespace fedrk

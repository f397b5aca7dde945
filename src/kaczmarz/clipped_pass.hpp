// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a client answers under differential privacy: how far one pass of clipped Kaczmarz steps moves x, with noise.
//
// The order of the rows is a random permutation that does not look at them; each row is used at most once. A step goes
// towards the row's hyperplane, but no further than c:
//
//     y += clip(t) a/||a||,   t = (b - <a, y>)/||a||,   clip(t) = max(-c, min(c, t)).
//
// One row replaced by any other, of whatever size, moves the end of the pass by at most 2c:
//
//   - Up to that row's turn both passes are the same. There each of them moves by at most c, so they are at most 2c
//     apart.
//   - Every other step brings them no further apart. Along a/||a|| the step maps t to t - clip(t), whose slope is 0 or
//     1; across it nothing moves. So it is non-expansive, and so are all that follow.
//
// That holds for each order, and the order has the same distribution for both. Zero rows keep their turn and make no
// step. The pass is made on the displacement d from 0, with the right-hand sides b_j - <a_j, x>, each rounded by
// itself: so rounding errors follow ||d|| <= m c and not ||x||. methods/gaussian_privacy.hpp accounts for them and for
// the grid.
//
// At the end d is rounded to multiples of q = 2^exponent, and a rounded Gaussian number is added to each: whole numbers
// times q, which masks and sums keep to the bit, and whose low bits tell nothing (Mironov, "On significance of the
// least significant bits for differential privacy", CCS 2012).

#include <cstdint>
#include <span>

#include "fedrk/aligned_vector.hpp"
#include "fedrk/question.hpp"
#include "fedrk/row_block.hpp"
#include "linalg/random/rng_stream.hpp"

namespace fedrk {

/// How far the pass goes from x, before grid and noise.
/// REQUIRES: x is as long as a row, and clip >= 0.
AlignedVector clipped_displacement(const ClippedPass& pass, const RowBlock& block, std::span<const double> x,
                                   RngStream order);

/// Of a private answer.
struct GridNoise {
  double share = 0.0;         // its standard deviation
  std::int32_t exponent = 0;  // of the grid
};

/// Rounds the values to the grid and adds the noise: multiples of 2^exponent, none beyond 2^52 of them (where one would
/// be it stays there, as a function of a private answer is private). The Gaussian numbers are `gaussians`, or the
/// stream's where there are none. Throws InvalidArgument where there are fewer than values.
void put_on_noisy_grid(const GridNoise& noise, std::span<const double> gaussians, RngStream& stream,
                       std::span<double> values);

}  // namespace fedrk

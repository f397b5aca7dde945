// SPDX-License-Identifier: Apache-2.0
#pragma once

// Columns that a client adds to its own: powers x^2, x^3, ... of a column for a polynomial, each held as the double
// nearest to it, and columns of noise.

#include <cstddef>
#include <span>

#include "fedrk/system.hpp"
#include "linalg/random/rng_stream.hpp"
#include "problem/frame.hpp"

namespace fedrk {

/// x^exponent, computed to twice the precision and rounded once: the same bits on every machine.
/// REQUIRES: the exponent is at least 1.
double rounded_power(double x, unsigned exponent);

/// Appends a column for each term, in their order; they need no room beside the matrix, but are cheaper with it.
/// Throws InvalidArgument where a power is beyond the range of numbers.
/// REQUIRES: the terms' columns are the ones after the last, one after the other, and the sources come before these.
void add_powers(LinearSystem& system, std::span<const PowerTerm> powers);

// Noise columns [A_i B_i] for an inconsistent system: the client appends columns of standard Gaussian noise, the solver
// works in the larger space, and only the first entries are the answer. A suitable number of columns shrinks the
// distance from the least-squares solution at which the iterates hover; too many make it larger again.

void add_noise_columns(LinearSystem& system, std::size_t count, RngStream stream);

}  // namespace fedrk

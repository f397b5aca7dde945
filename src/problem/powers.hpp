// SPDX-License-Identifier: Apache-2.0
#pragma once

// Powers of a column as further columns: x, x^2, x^3, ... for a polynomial. The rows hold each power as the double
// nearest to it.

#include <span>

#include "fedrk/system.hpp"
#include "problem/frame.hpp"

namespace fedrk {

/// x^exponent, computed to twice the precision and rounded once: the same bits on every machine.
/// REQUIRES: the exponent is at least 1.
double rounded_power(double x, unsigned exponent);

/// Appends a column for each term, in their order; they need no room beside the matrix, but are cheaper with it.
/// Throws InvalidArgument where a power is beyond the range of numbers.
/// REQUIRES: the terms' columns are the ones after the last, one after the other, and the sources come before these.
void add_powers(LinearSystem& system, std::span<const PowerTerm> powers);

}  // namespace fedrk

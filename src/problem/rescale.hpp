// SPDX-License-Identifier: Apache-2.0
#pragma once

// An equation scaled by an exact power of two, on both sides, so that its solutions stay.

#include <algorithm>
#include <cmath>
#include <span>

namespace fedrk {

template <class Number>
double largest_entry(std::span<Number> row) {
  double largest = 0.0;
  for (const double value : row) largest = std::max(largest, std::abs(value));
  return largest;
}

/// Brings the largest entry to [1, 2).
/// REQUIRES: `largest` is that entry's size, and positive.
template <class Number>
void rescale(std::span<Number> row, double largest, double& rhs) {
  const int exponent = -std::ilogb(largest);
  for (Number& value : row) value = std::ldexp(value, exponent);
  rhs = std::ldexp(rhs, exponent);
}

}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#pragma once

// Doubles for round trips: the extremes first, then any bit pattern that is finite.

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace fedrk::test {

inline std::vector<double> any_doubles(std::size_t count, std::uint64_t seed) {
  using Limits = std::numeric_limits<double>;
  std::vector<double> values{0.0,
                             -0.0,
                             1.0,
                             -1.0,
                             0.1,
                             1.0 / 3.0,
                             1e22,
                             123456789.0,
                             5e-324,
                             -5e-324,
                             Limits::min(),
                             Limits::max(),
                             Limits::lowest(),
                             Limits::epsilon(),
                             2.2250738585072011e-308};
  std::mt19937_64 bits(seed);
  while (values.size() < count) {
    const double value = std::bit_cast<double>(bits());
    if (std::isfinite(value)) values.push_back(value);
  }
  values.resize(count);
  return values;
}

inline bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

}  // namespace fedrk::test

// SPDX-License-Identifier: Apache-2.0
#pragma once

// soft(v, lambda): every entry moved towards zero by lambda, those within lambda set to it.

#include <span>

namespace fedrk {

inline double soft(double v, double lambda) { return v > lambda ? v - lambda : v < -lambda ? v + lambda : 0.0; }

/// x = soft(v, lambda). REQUIRES: as long as each other.
inline void soft_threshold(std::span<const double> v, double lambda, std::span<double> x) {
  for (std::size_t j = 0; j < v.size(); ++j) x[j] = soft(v[j], lambda);
}

}  // namespace fedrk

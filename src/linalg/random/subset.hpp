// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "linalg/random/rng_stream.hpp"

namespace fedrk {

/// `count` different numbers of 0 .. population-1 in ascending order, every subset equally likely. The cost follows
/// `count`, not `population` (Floyd's algorithm).
/// REQUIRES: count <= population.
std::vector<std::size_t> draw_subset(std::size_t population, std::size_t count, RngStream& stream);

/// A random order of 0 .. count-1 (Fisher and Yates).
std::vector<std::size_t> draw_permutation(std::size_t count, RngStream& stream);

}  // namespace fedrk

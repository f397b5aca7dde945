// SPDX-License-Identifier: Apache-2.0
#pragma once

// Noise columns [A_i B_i] for an inconsistent system: the client appends columns of standard Gaussian noise, the solver
// works in the larger space, and only the first entries are the answer. A suitable number of columns shrinks the
// distance from the least-squares solution at which the iterates hover; too many make it larger again.

#include <cstddef>

#include "fedrk/system.hpp"
#include "linalg/random/rng_stream.hpp"

namespace fedrk {

void add_noise_columns(LinearSystem& system, std::size_t count, RngStream stream);

}  // namespace fedrk

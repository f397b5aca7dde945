// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "fedrk/engine.hpp"
#include "linalg/random/rng_stream.hpp"

namespace fedrk {

/// S^(t): `count` clients of the roster without replacement, in client order; 0 takes all.
std::vector<ClientId> choose_participants(std::span<const ClientSummary> roster, std::size_t count, RngStream stream);

}  // namespace fedrk

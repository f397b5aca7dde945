// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "fedrk/federated/engine.hpp"
#include "fedrk/mpi/ranks.hpp"
#include "mpi/failure.hpp"

namespace fedrk::mpi {

/// Adds up the accepted replies of the `involved` ranks, in order, as rank_round.hpp says. `round` and `failure` are
/// this rank's; at rank 0 they become everyone's: one sum, or none, and all absences. `length`: of the values.
void relay_sum(const Ranks& ranks, const LocalWork& work, std::span<const std::size_t> involved, std::size_t length,
               Failure& failure, RoundReplies& round);

}  // namespace fedrk::mpi

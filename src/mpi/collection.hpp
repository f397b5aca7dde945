// SPDX-License-Identifier: Apache-2.0
#pragma once

// Answers on their way to rank 0, directly: one text from each rank, and long vectors behind it in segments.

#include <cstddef>
#include <span>

#include "fedrk/federated/engine.hpp"
#include "fedrk/mpi/ranks.hpp"
#include "mpi/failure.hpp"

namespace fedrk::mpi {

/// Sends what this rank's clients answered to rank 0.
void send_answers(const Ranks& ranks, const Failure& failure, const RoundReplies& round);

/// At rank 0: the answers of the `senders` behind its own, in order.
void receive_answers(const Ranks& ranks, std::span<const std::size_t> senders, Failure& failure, RoundReplies& round);

/// At rank 0: its own answers and those of the `senders` added up, in order, while they arrive: it never holds more
/// than one vector of them. `round` becomes everyone's: one sum, or none, and all absences.
void collect_sum(const Ranks& ranks, const LocalWork& work, std::span<const std::size_t> senders, Failure& failure,
                 RoundReplies& round);

}  // namespace fedrk::mpi

// SPDX-License-Identifier: Apache-2.0
#pragma once

// Answers on their way to rank 0: one text from each rank, and long vectors behind it.
//
// Single updates go there directly. A sum is passed along the ranks that have participants, in order: each adds the
// parts of its own clients, in client order, to what the ranks before it have added up, and the last hands it to rank
// 0. That is the very sequence of additions of one process, so the bits are the same for any number of ranks, and
// nobody sends more than one vector. Long vectors travel in segments, so that all ranks add at the same time.

#include <cstddef>
#include <span>

#include "fedrk/engine.hpp"
#include "fedrk/mpi_ranks.hpp"
#include "transport/mpi/failure.hpp"

namespace fedrk::mpi {

/// What one rank says to another: its clients' answers, or why there are none.
struct Answers {
  Failure failure{};
  RoundReplies round{};
};

/// Makes of this rank's answers everyone's, at rank 0: in the order of the `involved` ranks, the first failure among
/// them. To be called by all ranks.
void collect_updates(const Ranks& ranks, std::span<const std::size_t> involved, Answers& answers);

/// The same for accepted parts of a sum: one sum, or none, and all absences.
void collect_sum(const Ranks& ranks, const LocalWork& work, std::span<const std::size_t> involved, Answers& answers);

}  // namespace fedrk::mpi

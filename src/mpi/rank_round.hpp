// SPDX-License-Identifier: Apache-2.0
#pragma once

// One rank's part in a round: its own clients answer, and what they answer goes to rank 0.
//
// Single updates go there directly, and so do the parts of a sum where they are few. Else a sum is passed along the
// ranks that have participants, in order: each adds the parts of its own clients, in client order, to what the ranks
// before it have added up, and the last hands it to rank 0. That is the very sequence of additions of one process, so
// the bits are the same for any number of ranks, and nobody sends more than one vector. Long vectors travel in
// segments, so that all ranks add at the same time.

#include <cstddef>
#include <span>
#include <tuple>
#include <vector>

#include "fedrk/engine/client_group.hpp"
#include "fedrk/mpi/mpi_engine.hpp"
#include "fedrk/mpi/ranks.hpp"
#include "mpi/failure.hpp"

namespace fedrk::mpi {

/// Which clients are where: those of rank r are first[r] .. first[r + 1] - 1.
struct Layout {
  std::vector<std::size_t> first;
  std::size_t dimension = 0;
  SumRoute route = SumRoute::Quickest;
  static constexpr auto fields(auto& self) { return std::tie(self.first, self.dimension, self.route); }

  std::size_t clients() const { return first.back(); }
  std::size_t rank_of(ClientId client) const;
  /// Of ascending participants, those at that rank.
  std::span<const ClientId> at(std::size_t rank, std::span<const ClientId> participants) const;
  /// The ranks that have one, ascending.
  std::vector<std::size_t> with(std::span<const ClientId> participants) const;
};

/// To be called by all ranks with the same task. At rank 0 it is what Engine::local_updates says, and throws what a
/// client anywhere threw; elsewhere it is empty. REQUIRES: `participants` ascend.
RoundReplies rank_round(const Ranks& ranks, const Layout& layout, ClientGroup& clients, const LocalTask& task,
                        std::span<const ClientId> participants);

}  // namespace fedrk::mpi

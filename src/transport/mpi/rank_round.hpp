// SPDX-License-Identifier: Apache-2.0
#pragma once

// One rank's part in a round: its own clients answer, and what they answer goes to rank 0.

#include <cstddef>
#include <span>
#include <tuple>
#include <vector>

#include "fedrk/client_group.hpp"
#include "fedrk/mpi_ranks.hpp"

namespace fedrk::mpi {

/// Which clients are where: those of rank r are first[r] .. first[r + 1] - 1.
struct Layout {
  std::vector<std::size_t> first;
  std::size_t dimension = 0;
  static constexpr auto fields(auto& self) { return std::tie(self.first, self.dimension); }

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

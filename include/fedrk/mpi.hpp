// SPDX-License-Identifier: Apache-2.0
#pragma once

// Clients on many ranks. Rank 0 runs the round loop with an MpiEngine and has clients of its own; every other rank
// serves it until it is gone. Any number of ranks gives the bits of one process.

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "fedrk/client_group.hpp"
#include "fedrk/engine.hpp"
#include "fedrk/mpi_ranks.hpp"

namespace fedrk::mpi {

class MpiEngine final : public Engine {
 public:
  /// Waits until all others serve. Throws InvalidArgument where there are no clients, their ids do not go on from rank
  /// to rank, or they disagree on the number of unknowns; the others are told to stop then.
  /// REQUIRES: at rank 0. `ranks` outlives the engine.
  MpiEngine(const Ranks& ranks, ClientGroup clients);
  /// Tells the others to stop.
  ~MpiEngine() override;

  std::span<const ClientSummary> roster() const override;
  std::size_t dimension() const override;
  /// The participants ascend.
  RoundReplies local_updates(const LocalTask& task, std::span<const ClientId> participants) override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// At every other rank: answers with these clients until rank 0 has no engine any more.
void serve(const Ranks& ranks, ClientGroup clients);

}  // namespace fedrk::mpi

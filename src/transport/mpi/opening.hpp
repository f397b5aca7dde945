// SPDX-License-Identifier: Apache-2.0
#pragma once

// Before the first round all ranks learn who has which clients.

#include <string>
#include <vector>

#include "fedrk/client_group.hpp"
#include "fedrk/mpi_ranks.hpp"
#include "transport/mpi/rank_round.hpp"

namespace fedrk::mpi {

struct Opening {
  Layout layout;
  std::vector<ClientSummary> roster;  // at rank 0
  std::string problem;                // why there can be no rounds; empty where there can
};

/// To be called by all ranks; layout and problem are the same for all of them.
Opening open(const Ranks& ranks, const ClientGroup& clients);

}  // namespace fedrk::mpi

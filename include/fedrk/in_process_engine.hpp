// SPDX-License-Identifier: Apache-2.0
#pragma once

// All clients in this process.

#include <cstddef>
#include <vector>

#include "fedrk/client_group.hpp"
#include "fedrk/engine.hpp"

namespace fedrk {

class InProcessEngine final : public Engine {
 public:
  /// Throws InvalidArgument where there are no clients, or they disagree on the number of unknowns. `threads` 0: all
  /// cores.
  explicit InProcessEngine(std::vector<Client> clients, std::size_t threads = 0);

  std::span<const ClientSummary> roster() const override { return clients_.roster(); }
  std::size_t dimension() const override { return clients_.dimension(); }
  RoundReplies local_updates(const LocalTask& task, std::span<const ClientId> participants) override;

 private:
  ClientGroup clients_;
};

}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#pragma once

// All clients in this process. Those of one round work in parallel, each on its own data and its own random stream, so
// the number of threads never changes a result.

#include <cstddef>
#include <vector>

#include "fedrk/engine/thread_pool.hpp"
#include "fedrk/federated/client.hpp"
#include "fedrk/federated/engine.hpp"

namespace fedrk {

class InProcessEngine final : public Engine {
 public:
  /// Throws InvalidArgument where there are no clients, or they disagree on the number of unknowns. `threads` 0: all
  /// cores.
  explicit InProcessEngine(std::vector<Client> clients, std::size_t threads = 0);

  std::span<const ClientSummary> roster() const override { return roster_; }
  std::size_t dimension() const override { return dimension_; }
  RoundReplies local_updates(const LocalTask& task, std::span<const ClientId> participants) override;

  /// What a client remembers of earlier answers, as Client has it.
  std::vector<double> slack_state(ClientId client) const { return clients_[client.value].slack_state(); }
  void restore_slack(ClientId client, std::span<const double> state) { clients_[client.value].restore_slack(state); }

 private:
  bool worth_threads(const LocalTask& task, std::size_t participants) const;

  std::vector<Client> clients_;
  std::vector<ClientSummary> roster_;
  std::size_t dimension_ = 0;
  std::size_t mean_rows_ = 0;
  ThreadPool pool_;
};

}  // namespace fedrk

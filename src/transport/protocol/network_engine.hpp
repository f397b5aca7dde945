// SPDX-License-Identifier: Apache-2.0
#pragma once

// The seam over a network: a round's task goes to clients on other machines, and whoever is late, lost or wrong is an
// absence with its reason.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fedrk/engine.hpp"
#include "plan/server_options.hpp"
#include "secure_sum/masked_rounds.hpp"
#include "transport/protocol/synchronized_protocol.hpp"

namespace fedrk::network {

class NetworkEngine final : public Engine {
 public:
  /// Tasks are numbered from `first_task` on: after a restart, as if there had been none. `allowance`: of a masked run.
  NetworkEngine(SynchronizedProtocol& protocol, FederationOptions options, std::vector<ClientSummary> roster,
                std::size_t dimension, std::uint64_t first_task, Allowance allowance = {});

  std::span<const ClientSummary> roster() const override { return roster_; }
  std::size_t dimension() const override { return dimension_; }

  /// Throws RunAborted where too few answer, also when asked again, or where the run was told to end. A patient task
  /// waits for everyone, as long as for joining.
  RoundReplies local_updates(const LocalTask& task, std::span<const ClientId> participants) override;
  Allowance allowance() const override { return masked_.allowance(); }
  bool wants_certificate() const override { return options_.masked; }
  void repeated(const LocalTask& task, const RoundReplies& round) override;
  void state(StateStream& stream) override;

 private:
  RoundReplies single_updates(std::uint64_t number, const LocalTask& task, std::span<const ClientId> participants);
  void take(const LocalTask& task, ServerProtocol::Answer& answer, RoundReplies& round);
  std::size_t answers_wanted(const LocalTask& task, std::size_t asked) const;
  void check_quorum(const LocalTask& task, std::size_t asked, const RoundReplies& round) const;

  SynchronizedProtocol& protocol_;
  FederationOptions options_;
  std::vector<ClientSummary> roster_;
  std::size_t dimension_;
  std::uint64_t next_task_;
  MaskedRounds masked_;
};

}  // namespace fedrk::network

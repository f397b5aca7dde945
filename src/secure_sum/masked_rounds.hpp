// SPDX-License-Identifier: Apache-2.0
#pragma once

// The server's side of masked sums. A sum can be read when every participant's part is in it; where one is missing,
// nothing can be made of the others. A question is of a group that is kept for the run, or of everyone: it waits for
// all of them, and has no sum where somebody stays away. Asked again, clients repeat what they said.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "fedrk/engine.hpp"
#include "plan/server_options.hpp"
#include "secure_sum/grid_scale.hpp"
#include "transport/protocol/synchronized_protocol.hpp"

namespace fedrk::network {

class MaskedRounds {
 public:
  /// All of these outlive it. `allowance`: what the owners' rules let each group's sums show.
  MaskedRounds(SynchronizedProtocol& protocol, const FederationOptions& options, std::span<const ClientSummary> roster,
               std::size_t dimension, Allowance allowance)
      : protocol_(protocol), options_(options), roster_(roster), dimension_(dimension), allowance_(allowance) {}

  /// The sum of the participants' answers. Where somebody is missing there is none, and the absences name those; a
  /// patient task waits for them first, as long as for joining, and then throws RunAborted. Throws InvalidArgument for
  /// a task that wants single updates.
  RoundReplies sum(const LocalTask& task, std::span<const ClientId> participants);

  /// What is left of it to the group that was asked most.
  Allowance allowance() const;

  /// A sum that is only repeated.
  void learn(const LocalTask& task, const RoundReplies& round);
  /// What later sums depend on.
  static constexpr auto fields(auto& self) { return std::tie(self.scales_, self.shown_); }

 private:
  struct Asked;
  bool collect(Asked& asked);
  bool read(Asked& asked);
  [[noreturn]] void give_up(const Asked& asked) const;

  SynchronizedProtocol& protocol_;
  const FederationOptions& options_;
  std::span<const ClientSummary> roster_;
  std::size_t dimension_;
  Allowance allowance_;
  std::uint64_t next_number_ = 0;
  // By the first member of the group, so that nothing of one group depends on when another answered.
  std::map<ClientId, masking::GridScale> scales_;
  std::map<ClientId, std::uint64_t> shown_;  // vectors
};

}  // namespace fedrk::network

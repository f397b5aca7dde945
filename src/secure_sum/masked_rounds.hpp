// SPDX-License-Identifier: Apache-2.0
#pragma once

// The server's side of masked sums. A sum can be read when every participant's part is in it; where one is missing,
// nothing can be made of the others. The server then asks those who answered once more, as a new attempt with other
// masks and draws, and drops what it has: docs/decisions/015-masked-sums.md tells why it is not recovered. Work that is
// the same function of x each time is of all that were asked or of nobody: clients refuse it to any other group.

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

/// Answers that a round needs of so many.
std::size_t quorum_of(const FederationOptions& options, std::size_t asked);

class MaskedRounds {
 public:
  /// All of these outlive it.
  /// `resumed`: an earlier server has asked questions of this run, of which the journal may have lost the last.
  MaskedRounds(SynchronizedProtocol& protocol, const FederationOptions& options, std::span<const ClientSummary> roster,
               std::size_t dimension, bool resumed)
      : protocol_(protocol),
        options_(options),
        roster_(roster),
        dimension_(dimension),
        skips_left_(resumed ? kMaxSkips : 0) {}

  /// The sum of the participants' answers, or of those of them who stayed. Throws RunAborted where too few did, also
  /// when asked again, and InvalidArgument for a task that wants single updates. Of work that needs everyone there is
  /// no sum where somebody is missing, and the absences name those; a patient task waits for them first, and throws.
  RoundReplies sum(std::uint64_t number, const LocalTask& task, std::span<const ClientId> participants);

  /// A sum that is only repeated.
  void learn(const LocalTask& task, const RoundReplies& round);
  /// The scales that later sums depend on.
  static constexpr auto fields(auto& self) { return std::tie(self.scales_); }

 private:
  struct Attempt;
  void ask(Attempt& attempt);
  bool resolve(Attempt& attempt);
  bool skip_numbers(Attempt& attempt);
  bool read(Attempt& attempt);
  bool go_on_without(Attempt& attempt);
  bool wait_or_end(Attempt& attempt, bool all_may_return) const;
  [[noreturn]] void give_up(const Attempt& attempt) const;
  masking::GridScale& scale_for(const LocalTask& task, std::span<const ClientId> members);

  SynchronizedProtocol& protocol_;
  const FederationOptions& options_;
  std::span<const ClientSummary> roster_;
  std::size_t dimension_;
  /// One for each group that stays the same, by its first member, so that no group's grid depends on when another
  /// answered; and one for all sums that are of changing clients.
  std::map<std::optional<ClientId>, masking::GridScale> scales_;

  static constexpr unsigned kMaxSkips = 6;  // of one process: whoever refuses for another reason costs an answer each
  unsigned skips_left_;
  std::uint64_t skipped_ = 0;  // numbers that were left out, as clients had answered some of them
};

}  // namespace fedrk::network

// SPDX-License-Identifier: Apache-2.0
#pragma once

// Who is asked in a run, and what that costs.

#include <span>

#include "fedrk/run.hpp"
#include "round/accept_replies.hpp"
#include "round/groups.hpp"
#include "round/measured.hpp"

namespace fedrk {

struct Asking {
  Asking(const RunOptions& options, Engine& asked, RunResult& counted)
      : engine(asked),
        result(counted),
        roster(asked.roster()),
        groups(roster, options.participants, options.min_group, stream_for(options.seed, Purpose::Groups)),
        residual(roster) {}

  Engine& engine;
  RunResult& result;  // which counts
  std::span<const ClientSummary> roster;
  Groups groups;
  ResidualScale residual;

  /// Counts what would travel: what is sent to all and to each alone, down; what each answers, its residual too, up.
  RoundReplies ask(const LocalTask& task, std::span<const ClientId> participants) {
    RoundReplies round = engine.local_updates(task, participants);
    accept_replies(task, engine.dimension(), participants, round);
    round.relative_residual = residual.relative(round);
    result.earlier_seconds += round.earlier_seconds;
    result.bytes_down += participants.size() * task.x.size() * sizeof(double);
    if (!task.own.empty()) {
      for (const ClientId client : participants) result.bytes_down += task.own[client.value].size() * sizeof(double);
    }
    // A sum is as long as each of its parts.
    const std::size_t senders = task.reveal == Reveal::Sums ? round.answered.size() : 1;
    for (const LocalReply& reply : round.replies) result.bytes_up += senders * message_length(reply) * sizeof(double);
    return round;
  }

  void leave(std::span<const ClientId> lost) {
    groups.leave_out(lost);
    result.left_out.insert(result.left_out.end(), lost.begin(), lost.end());
    residual.keep(groups.everyone());
  }
};

}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the round loop makes of residuals: relative to the right-hand side, the best answer that was measured, and when
// to measure again.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>
#include <limits>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "fedrk/history.hpp"
#include "fedrk/run.hpp"
#include "round/accept_replies.hpp"
#include "round/groups.hpp"

namespace fedrk {

/// The mean squared residual of the rows that reported, over the mean square of everyone's right-hand side.
class ResidualScale {
 public:
  explicit ResidualScale(std::span<const ClientSummary> roster) : roster_(roster) {
    const RosterTotals all = totals_of(roster);
    mean_square_ = all.squared_rhs_norm > 0.0 ? all.squared_rhs_norm / all.rows : 1.0;  // b = 0: the residual itself
  }

  /// Of these clients only, from now on.
  void keep(std::span<const ClientId> clients) {
    std::vector<ClientSummary> left;
    for (const ClientId client : clients) left.push_back(roster_[client.value]);
    mean_square_ = ResidualScale(left).mean_square_;
  }

  static constexpr auto fields(auto& self) { return std::tie(self.mean_square_); }

  std::optional<double> relative(const RoundReplies& round) const {
    double squares = 0.0, rows = 0.0;
    for (const LocalReply& reply : round.replies) {
      if (!reply.squared_residual) return std::nullopt;
      squares += *reply.squared_residual;
    }
    for (const ClientId client : round.answered) rows += static_cast<double>(roster_[client.value].rows);
    if (rows == 0.0) return std::nullopt;
    return std::sqrt(squares / rows / mean_square_);
  }

 private:
  std::span<const ClientSummary> roster_;
  double mean_square_;
};

/// The best answer whose residual over all clients is known.
struct BestSoFar {
  AlignedVector x;
  double residual = std::numeric_limits<double>::infinity();

  static constexpr auto fields(auto& self) { return std::tie(self.x, self.residual); }

  void consider(std::span<const double> candidate, double relative_residual) {
    if (!(relative_residual < residual)) return;
    residual = relative_residual;
    x.assign(candidate.begin(), candidate.end());
  }
};

/// When everyone is worth asking for a residual, which costs like a round with all clients: the participants are within
/// the tolerance, or x rests, or their residuals are a tenth of what they were at the last look, so that an x that is
/// thrown away later has been measured. A look that ends no run is followed by twice the pause.
class LookSchedule {
 public:
  /// To be asked after each round; `size` is ||x||, `turn` the rounds in which all groups take part.
  bool due(const RunHistory& history, double size, std::size_t turn, bool within_tolerance) {
    const RoundRecord& last = history.back();
    quiet_rounds_ = last.movement <= kQuiet * size ? quiet_rounds_ + 1 : 0;
    bool arrived = within_tolerance || quiet_rounds_ >= 3;
    if (last.relative_residual) {
      reports_.push_back(*last.relative_residual);
      if (reports_.size() > turn) reports_.pop_front();
      const double level = *std::ranges::max_element(reports_);
      const bool lower = reports_.size() == turn && level < 0.1 * looked_at_;
      if (lower) looked_at_ = level;
      arrived = arrived || lower;
    }
    if (!arrived || history.size() < next_look_) return false;
    next_look_ = history.size() + pause_;
    pause_ = std::min<std::size_t>(2 * pause_, kMaxPause);
    return true;
  }

  static constexpr auto fields(auto& self) {
    return std::tie(self.reports_, self.looked_at_, self.quiet_rounds_, self.next_look_, self.pause_);
  }

 private:
  static constexpr double kQuiet = 8.0 * std::numeric_limits<double>::epsilon();  // of x, in a round
  static constexpr std::size_t kMaxPause = 64;

  std::deque<double> reports_;  // residuals of the participants, of one turn of the groups
  double looked_at_ = 1.0;      // the largest of them when everyone was looked at last
  std::size_t quiet_rounds_ = 0;
  std::size_t next_look_ = 0, pause_ = 1;  // in rounds
};

// Who is asked in a run, and what that costs.

struct Asking {
  Asking(const RunOptions& options, Engine& asked, RunResult& counted)
      : engine(asked),
        result(counted),
        roster(asked.roster()),
        groups(roster, options.participants, options.min_group),
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

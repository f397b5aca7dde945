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
    pause_ = std::min<std::size_t>(2 * pause_, kLongestPause);
    return true;
  }

  static constexpr auto fields(auto& self) {
    return std::tie(self.reports_, self.looked_at_, self.quiet_rounds_, self.next_look_, self.pause_);
  }

 private:
  static constexpr double kQuiet = 8.0 * std::numeric_limits<double>::epsilon();  // of x, in a round
  static constexpr std::size_t kLongestPause = 64;

  std::deque<double> reports_;  // residuals of the participants, of one turn of the groups
  double looked_at_ = 1.0;      // the largest of them when everyone was looked at last
  std::size_t quiet_rounds_ = 0;
  std::size_t next_look_ = 0, pause_ = 1;  // in rounds
};

}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the round loop makes of residuals: relative to the right-hand side, and the best answer that was measured.

#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "fedrk/engine.hpp"

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

}  // namespace fedrk

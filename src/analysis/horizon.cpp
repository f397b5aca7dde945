// SPDX-License-Identifier: Apache-2.0
#include "analysis/horizon.hpp"

#include <algorithm>

#include "round/stopping.hpp"

namespace fedrk {
namespace {

// Nothing but rounding moves x in the last quarter, measured against the largest move of the run.
bool x_is_at_rest(const RunHistory& history) {
  constexpr double kStill = 1e-12;
  double largest = 0.0, lately = 0.0;
  for (std::size_t t = 0; t < history.size(); ++t) {
    largest = std::max(largest, history[t].movement);
    if (t >= history.size() - history.size() / 4) lately = std::max(lately, history[t].movement);
  }
  return lately <= kStill * largest;
}

}  // namespace

Horizon find_horizon(const RunHistory& history) {
  constexpr double kRounding = 1e-12;
  Horizon horizon;
  const auto reported = [](const RoundRecord& record) { return record.relative_residual.has_value(); };
  const auto last = std::find_if(history.rbegin(), history.rend(), reported);
  if (last != history.rend() && *last->relative_residual <= kRounding) {
    return {Progress::AtRounding, *last->relative_residual, last->round.value + std::size_t{1}};
  }
  const auto trend = residual_trend(history, history.size() / 4);
  if (!trend) return horizon;

  horizon.level = trend->level;
  horizon.progress = trend->falling ? Progress::Falling : x_is_at_rest(history) ? Progress::AtRest : Progress::Hovering;
  const auto arrived = std::ranges::find_if(history, [&](const RoundRecord& record) {
    return record.relative_residual && *record.relative_residual <= 1.05 * horizon.level;
  });
  if (arrived != history.end()) horizon.since_round = arrived->round.value + std::size_t{1};
  return horizon;
}

}  // namespace fedrk

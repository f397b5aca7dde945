// SPDX-License-Identifier: Apache-2.0
#include "round/stopping.hpp"

#include <algorithm>

#include "round/residual_trend.hpp"

namespace fedrk {

bool StoppingRule::tolerance_seems_met(const RunHistory& history) const {
  return tolerance > 0.0 && !history.empty() && history.back().relative_residual &&
         *history.back().relative_residual <= tolerance;
}

bool StoppingRule::stagnant(const RunHistory& history) const {
  if (patience == 0 || history.empty() || history.size() % patience != 0) return false;
  const auto trend = residual_trend(history, std::max<std::size_t>(patience, history.size() / 4));
  return trend && !trend->falling;
}

}  // namespace fedrk

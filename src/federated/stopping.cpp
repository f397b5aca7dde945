// SPDX-License-Identifier: Apache-2.0
#include "fedrk/federated/stopping.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fedrk {
namespace {

// The mean logarithm of the residuals reported in rounds [first, last), and how many there were.
struct LogMean {
  double value = 0.0;
  std::size_t count = 0;
};

LogMean mean_log_residual(const RunHistory& history, std::size_t first, std::size_t last) {
  LogMean mean;
  for (std::size_t t = first; t < last; ++t) {
    if (!history[t].relative_residual) continue;
    mean.value += std::log(std::max(*history[t].relative_residual, std::numeric_limits<double>::min()));
    ++mean.count;
  }
  if (mean.count > 0) mean.value /= static_cast<double>(mean.count);
  return mean;
}

}  // namespace

bool StoppingRule::tolerance_seems_met(const RunHistory& history) const {
  return tolerance > 0.0 && !history.empty() && history.back().relative_residual &&
         *history.back().relative_residual <= tolerance;
}

bool StoppingRule::stagnant(const RunHistory& history) const {
  constexpr std::size_t kFewestReports = 5;  // in each half, or a mean means nothing
  const std::size_t made = history.size();
  if (patience == 0 || made < std::size_t{2} * patience || made % patience != 0) return false;
  const LogMean before = mean_log_residual(history, made - 2 * patience, made - patience);
  const LogMean lately = mean_log_residual(history, made - patience, made);
  return std::min(before.count, lately.count) >= kFewestReports && lately.value > before.value + std::log(0.99);
}

}  // namespace fedrk

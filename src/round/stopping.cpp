// SPDX-License-Identifier: Apache-2.0
#include "round/stopping.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace fedrk {
namespace {

constexpr std::size_t kFewestReports = 10;

struct LogMean {
  double value = 0.0;
  double error = 0.0;  // standard error, as if the values were independent
  std::size_t count = 0;
};

LogMean mean_log_residual(std::span<const RoundRecord> rounds) {
  std::vector<double> logs;
  for (const RoundRecord& record : rounds) {
    if (!record.relative_residual) continue;
    logs.push_back(std::log(std::max(*record.relative_residual, std::numeric_limits<double>::min())));
  }
  LogMean mean{.count = logs.size()};
  if (logs.size() < 2) return mean;
  const auto count = static_cast<double>(logs.size());
  for (const double value : logs) mean.value += value / count;
  double squares = 0.0;
  for (const double value : logs) squares += (value - mean.value) * (value - mean.value);
  mean.error = std::sqrt(squares / (count - 1.0) / count);
  return mean;
}

}  // namespace

std::optional<ResidualTrend> residual_trend(const RunHistory& history, std::size_t stretch) {
  if (stretch == 0 || history.size() < 2 * stretch) return std::nullopt;
  const std::span recent = std::span(history).last(2 * stretch);
  const LogMean before = mean_log_residual(recent.first(stretch)), lately = mean_log_residual(recent.last(stretch));
  if (std::min(before.count, lately.count) < kFewestReports) return std::nullopt;
  // Two standard errors; neighbouring rounds are alike, which makes the true error somewhat larger.
  const double scatter = 2.0 * std::hypot(before.error, lately.error);
  return ResidualTrend{std::exp(lately.value), before.value - lately.value > std::max(0.01, scatter)};
}

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

// SPDX-License-Identifier: Apache-2.0
#include "fedrk/analysis/horizon.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

namespace fedrk {
namespace {

struct Report {
  std::size_t round;  // from 1
  double log_residual;
};

struct Mean {
  double value = 0.0;
  double error = 0.0;  // standard error, as if the values were independent
};

Mean mean_of(std::span<const Report> reports) {
  Mean mean;
  const auto count = static_cast<double>(reports.size());
  for (const Report& report : reports) mean.value += report.log_residual / count;
  double squares = 0.0;
  for (const Report& report : reports) squares += std::pow(report.log_residual - mean.value, 2);
  mean.error = std::sqrt(squares / (count - 1) / count);
  return mean;
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g", value);
  return text;
}

constexpr std::size_t kFewestReports = 40;  // ten in each quarter
constexpr double kRounding = 1e-12;

}  // namespace

Horizon find_horizon(const RunHistory& history) {
  std::vector<Report> reports;
  for (const RoundRecord& record : history) {
    if (!record.relative_residual) continue;
    const double residual = std::max(*record.relative_residual, std::numeric_limits<double>::min());
    reports.push_back({record.round.value + std::size_t{1}, std::log(residual)});
  }
  Horizon horizon;
  if (!reports.empty() && std::exp(reports.back().log_residual) <= kRounding) {
    horizon.progress = Progress::AtRounding;
    horizon.level = std::exp(reports.back().log_residual);
  }
  if (reports.size() < kFewestReports) return horizon;

  const std::span all(reports);
  const std::size_t quarter = all.size() / 4;
  const Mean before = mean_of(all.last(2 * quarter).first(quarter));
  const Mean lately = mean_of(all.last(quarter));
  // Less than 1 % down from the third to the fourth quarter, or less than the scatter of the residuals can tell;
  // neighbouring rounds are alike, hence the factor.
  const double scatter = 4.0 * std::hypot(before.error, lately.error);
  const bool falling = before.value - lately.value > std::max(0.01, scatter);
  horizon.level = std::exp(lately.value);
  horizon.progress = horizon.level <= kRounding ? Progress::AtRounding
                     : falling                  ? Progress::Falling
                                                : Progress::Hovering;
  const auto arrived =
      std::ranges::find_if(reports, [&](const Report& r) { return r.log_residual <= lately.value + std::log(1.05); });
  if (arrived != reports.end()) horizon.since_round = arrived->round;
  return horizon;
}

std::string describe(const Horizon& horizon, const HorizonContext& context) {
  if (horizon.progress == Progress::AtRounding) {
    return "Solved to rounding: the relative residual is " + number(horizon.level) + ".";
  }
  if (horizon.progress != Progress::Hovering) return "";
  std::string text = "The relative residual has hovered around " + number(horizon.level) + " since round " +
                     std::to_string(horizon.since_round) +
                     ": the equations contradict each other (noisy data), so the iterates circle the least-squares "
                     "solution at a distance, the horizon.";
  if (context.thresholding) text += " Keeping few entries adds to it; more may be needed (--keep).";
  text += context.noise_columns
              ? " To come closer, try another number of noise columns (--noise-columns) or fewer local steps."
              : " To come closer, add noise columns (--noise-columns, about three times the unknowns) or take fewer "
                "local steps (--local-steps).";
  return text;
}

}  // namespace fedrk

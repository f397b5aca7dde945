// SPDX-License-Identifier: Apache-2.0
#include "experiments/judgements_beyond.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "experiments/support.hpp"

namespace fedrk::experiments {
namespace {

std::string rounds_text(const ErrorCurve& curve, double level) {
  const auto rounds = rounds_to(level, curve.errors);
  return rounds ? std::to_string(*rounds) : fmt::format("more than {}", curve.errors.size());
}

}  // namespace

Judgement takes_fewer_rounds(const ErrorCurve& subject, const ErrorCurve& other, double level, double by) {
  const auto mine = rounds_to(level, subject.errors);
  const auto its = rounds_to(level, other.errors).value_or(other.errors.size() + 1);
  const bool holds = mine && !other.errors.empty() && by * static_cast<double>(*mine) <= static_cast<double>(its);
  const std::string asked = by == 1.0 ? "no more rounds than" : fmt::format("at most 1/{:.3g} of the rounds of", by);
  return {holds, fmt::format("{} take {} {} to {:.0e}: {} against {}", subject.label, asked, other.label, level,
                             rounds_text(subject, level), rounds_text(other, level))};
}

Judgement arrives_within(std::string claim, std::span<const ErrorCurve> curves, double level, std::size_t rounds) {
  bool holds = !curves.empty();
  std::vector<std::string> texts;
  for (const ErrorCurve& curve : curves) {
    const auto needed = rounds_to(level, curve.errors);
    holds = holds && needed && *needed <= rounds;
    texts.push_back(fmt::format("{} after {}", curve.label, rounds_text(curve, level)));
  }
  return {holds, fmt::format("{}, to {:.0e} within {} rounds: {}", claim, level, rounds, listed(texts))};
}

Judgement stays_above(std::string claim, std::span<const ErrorCurve> curves, double level) {
  bool holds = !curves.empty();
  std::vector<std::string> texts;
  for (const ErrorCurve& curve : curves) {
    const auto later = std::span(curve.errors).subspan(curve.errors.size() / 2);
    const double lowest = later.empty() ? 0.0 : *std::ranges::min_element(later);
    holds = holds && lowest >= level;  // what is not a number is not above
    texts.push_back(fmt::format("{:.2g} by {}", lowest, curve.label));
  }
  return {holds, fmt::format("{} {:.2g}, least in the second half of the rounds: {}", claim, level, listed(texts))};
}

Judgement supports_are_found(std::string claim, std::size_t found, std::size_t instances, std::size_t lowest) {
  return {found >= lowest && found <= instances,
          fmt::format("{}: {} of {} (at least {} asked)", claim, found, instances, lowest)};
}

Judgement ratios_at_most(std::string claim, std::span<const double> ratios, double most) {
  const bool holds = !ratios.empty() && std::ranges::all_of(ratios, [=](double ratio) { return ratio <= most; });
  const double largest = ratios.empty() ? 0.0 : *std::ranges::max_element(ratios);
  return {holds, fmt::format("{}: {:.3f} in the mean of {}, {:.3f} at the most ({} asked)", claim, mean(ratios),
                             ratios.size(), largest, most)};
}

Judgement scaling_hardly_matters(const ErrorCurve& plain, const ErrorCurve& scaled, double level, double most) {
  const auto before = rounds_to(level, plain.errors), after = rounds_to(level, scaled.errors);
  const bool holds = before && after && static_cast<double>(*after) <= most * static_cast<double>(*before);
  return {holds, fmt::format("scaling the rows over two decades takes the automatic method at most {} times the "
                             "rounds to {:.0e}: {} against {}",
                             most, level, rounds_text(scaled, level), rounds_text(plain, level))};
}

}  // namespace fedrk::experiments

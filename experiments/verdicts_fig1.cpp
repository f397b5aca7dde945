// SPDX-License-Identifier: Apache-2.0
#include "experiments/verdicts_fig1.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "experiments/support.hpp"

namespace fedrk::experiments {
namespace {

// "tau = 10, 20, 50" for curves that are labelled "tau = 10" and so on.
std::string labels_of(std::span<const ErrorCurve> curves) {
  std::vector<std::string> labels;
  for (const ErrorCurve& curve : curves) {
    const std::size_t sign = labels.empty() ? std::string::npos : curve.label.rfind("= ");
    labels.push_back(sign == std::string::npos ? curve.label : curve.label.substr(sign + 2));
  }
  return listed(labels);
}

std::string rounds_text(std::optional<std::size_t> rounds, std::size_t made) {
  return rounds ? std::to_string(*rounds) : fmt::format("more than {}", made);
}

}  // namespace

Verdict more_steps_are_faster(std::span<const ErrorCurve> curves, std::size_t round, double slack) {
  std::vector<double> levels;
  for (const ErrorCurve& curve : curves) levels.push_back(curve.errors.size() >= round ? curve.errors[round - 1] : 1.0);
  bool holds = levels.size() > 1 && levels.back() <= 0.1 * levels.front();
  for (std::size_t k = 1; k < levels.size(); ++k) holds = holds && levels[k] <= slack * levels[k - 1];
  return {holds, fmt::format("more local steps converge faster: errors after {} rounds are {} for {}", round,
                             listed(levels, "{:.1e}"), labels_of(curves))};
}

Verdict rounds_agree(std::span<const ErrorCurve> curves, double level, std::span<const double> expected,
                     double tolerance) {
  bool holds = !curves.empty() && curves.size() == expected.size();
  std::vector<std::string> found;
  for (std::size_t k = 0; k < curves.size(); ++k) {
    const auto rounds = rounds_to(level, curves[k].errors);
    found.push_back(rounds_text(rounds, curves[k].errors.size()));
    holds = holds && rounds && std::abs(static_cast<double>(*rounds) - expected[k]) <= tolerance * expected[k];
  }
  return {holds, fmt::format("{} rounds to {:.0e} for {}, as an independent program found: {}", listed(found), level,
                             labels_of(curves), listed(expected, "{:.0f}"))};
}

Verdict error_falls_linearly(std::span<const ErrorCurve> curves, double tolerance) {
  std::vector<double> ratios;
  for (const ErrorCurve& curve : curves) {
    const auto upper = rounds_to(1e-3, curve.errors), middle = rounds_to(std::pow(10.0, -4.5), curve.errors),
               lower = rounds_to(1e-6, curve.errors);
    if (!lower) continue;
    ratios.push_back(static_cast<double>(*lower - *middle) / static_cast<double>(*middle - *upper));
  }
  const bool holds =
      !ratios.empty() && std::ranges::all_of(ratios, [=](double r) { return std::abs(r - 1.0) <= tolerance; });
  return {
      holds,
      fmt::format("the error falls by equal factors in equal rounds: the rounds from 10^-4.5 to 1e-6 over those from "
                  "1e-3 to 10^-4.5 are {}",
                  listed(ratios, "{:.2f}"))};
}

Verdict ends_below(const ErrorCurve& subject, std::span<const ErrorCurve> others, double by) {
  bool holds = !subject.errors.empty() && !others.empty();
  std::vector<std::string> words;
  for (const ErrorCurve& other : others) {
    if (other.errors.empty() || subject.errors.empty()) return {false, subject.label + ": there is nothing to compare"};
    holds = holds && subject.errors.back() * by <= other.errors.back();
    words.push_back(fmt::format("{:.1e} by {}", other.errors.back(), other.label));
  }
  const double end = subject.errors.empty() ? 1.0 : subject.errors.back();
  return {holds, fmt::format("{} is below: {:.1e} after {} rounds against {}", subject.label, end,
                             subject.errors.size(), listed(words))};
}

Verdict keeps_up(const ErrorCurve& subject, const ErrorCurve& other, double slack) {
  if (subject.errors.empty() || other.errors.empty()) return {false, subject.label + ": there is nothing to compare"};
  return {
      subject.errors.back() <= slack * other.errors.back(),
      fmt::format("{}, without a step size to choose, keeps up with the best step size of {}: {:.3f} after {} rounds "
                  "against {:.3f}",
                  subject.label, other.label, subject.errors.back(), subject.errors.size(), other.errors.back())};
}

Verdict decays_steadily(const ErrorCurve& curve, double share) {
  constexpr std::size_t kParts = 10;
  std::vector<double> levels{1.0};  // x = 0 before the first round
  for (std::size_t k = 1; k <= kParts && curve.errors.size() >= kParts; ++k) {
    levels.push_back(curve.errors[curve.errors.size() * k / kParts - 1]);
  }
  bool holds = levels.size() == kParts + 1;
  for (std::size_t k = 1; k < levels.size(); ++k) holds = holds && levels[k] < levels[k - 1];
  if (holds) {
    const double whole = std::log(levels.front() / levels.back()), last = std::log(levels[kParts - 1] / levels.back());
    holds = last >= share * whole / static_cast<double>(kParts);
  }
  return {holds, fmt::format("the error falls steadily, in each tenth of the run: {}", listed(levels, "{:.3g}"))};
}

}  // namespace fedrk::experiments

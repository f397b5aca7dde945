// SPDX-License-Identifier: Apache-2.0
#include "experiments/judgements_fig1.hpp"

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

Judgement more_steps_are_faster(std::span<const ErrorCurve> curves, std::size_t round, double slack) {
  std::vector<double> levels;
  for (const ErrorCurve& curve : curves) levels.push_back(curve.errors.size() >= round ? curve.errors[round - 1] : 1.0);
  bool holds = levels.size() > 1 && levels.back() <= 0.1 * levels.front();
  for (std::size_t k = 1; k < levels.size(); ++k) holds = holds && levels[k] <= slack * levels[k - 1];
  return {holds, fmt::format("more local steps converge faster: errors after {} rounds are {} for {}", round,
                             listed(levels, "{:.1e}"), labels_of(curves))};
}

Judgement rounds_agree(std::span<const ErrorCurve> curves, double level, std::span<const double> expected,
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

Judgement error_falls_linearly(std::span<const ErrorCurve> curves, double tolerance) {
  bool holds = !curves.empty();
  std::vector<std::string> ratios;
  for (const ErrorCurve& curve : curves) {
    const auto upper = rounds_to(1e-3, curve.errors), middle = rounds_to(std::pow(10.0, -4.5), curve.errors),
               lower = rounds_to(1e-6, curve.errors);
    if (!lower) {
      holds = false;
      ratios.push_back(fmt::format("none for {}, which does not get there", curve.label));
      continue;
    }
    const double ratio = static_cast<double>(*lower - *middle) / static_cast<double>(*middle - *upper);
    holds = holds && std::abs(ratio - 1.0) <= tolerance;
    ratios.push_back(fmt::format("{:.2f}", ratio));
  }
  return {
      holds,
      fmt::format("the error falls by equal factors in equal rounds: the rounds from 10^-4.5 to 1e-6 over those from "
                  "1e-3 to 10^-4.5 are {}",
                  listed(ratios))};
}

Judgement ends_below(const ErrorCurve& subject, std::span<const ErrorCurve> others, double by) {
  bool holds = !subject.errors.empty() && !others.empty();
  std::vector<std::string> texts;
  for (const ErrorCurve& other : others) {
    if (other.errors.empty() || subject.errors.empty()) return {false, subject.label + ": there is nothing to compare"};
    holds = holds && subject.errors.back() * by <= other.errors.back();
    texts.push_back(fmt::format("{:.1e} by {}", other.errors.back(), other.label));
  }
  const double end = subject.errors.empty() ? 1.0 : subject.errors.back();
  return {holds, fmt::format("{} is below: {:.1e} after {} rounds against {}", subject.label, end,
                             subject.errors.size(), listed(texts))};
}

Judgement keeps_up(std::string_view subject, std::string_view other, std::span<const double> ratios, double lowest) {
  return {!ratios.empty() && mean(ratios) > lowest,
          fmt::format("{}, without a step size to choose, keeps up with the best step size of {}, which ends at {:.3f} "
                      "+- {:.3f} times its error (mean and standard error of {} instances; more than {} asked)",
                      subject, other, mean(ratios), standard_error(ratios), ratios.size(), lowest)};
}

Judgement decays_steadily(const ErrorCurve& curve, double share) {
  constexpr std::size_t kParts = 10;
  constexpr double kRounding = 1e-12;
  const auto reached = rounds_to(kRounding, curve.errors);
  const auto errors = std::span(curve.errors).first(reached ? *reached - 1 : curve.errors.size());
  if (reached && errors.size() < kParts) {
    return {true, fmt::format("the error falls steadily: it is below {:.0e} after {} rounds", kRounding, *reached)};
  }
  std::vector<double> levels{1.0};  // x = 0 before the first round
  for (std::size_t k = 1; k <= kParts && errors.size() >= kParts; ++k) {
    levels.push_back(errors[errors.size() * k / kParts - 1]);
  }
  bool holds = levels.size() == kParts + 1;
  for (std::size_t k = 1; k < levels.size(); ++k) holds = holds && levels[k] < levels[k - 1];
  if (holds) {
    const double whole = std::log(levels.front() / levels.back()), last = std::log(levels[kParts - 1] / levels.back());
    holds = last >= share * whole / static_cast<double>(kParts);
  }
  const std::string part =
      reached ? fmt::format("the {} rounds before it reaches {:.0e}", errors.size(), kRounding) : "the run";
  return {holds, fmt::format("the error falls steadily, in each tenth of {}: {}", part, listed(levels, "{:.3g}"))};
}

}  // namespace fedrk::experiments

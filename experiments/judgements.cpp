// SPDX-License-Identifier: Apache-2.0
#include "experiments/judgements.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "experiments/support.hpp"

namespace fedrk::experiments {
namespace {

double share_of(std::size_t part, std::size_t whole) { return static_cast<double>(part) / static_cast<double>(whole); }

std::string shares_text(std::span<const EntryCount> entries, std::size_t trials) {
  std::vector<std::string> texts;
  for (const EntryCount& entry : entries) texts.push_back(fmt::format("{:.3f}: {}", entry.size, entry.selected));
  return fmt::format("{} of {} trials", listed(texts), trials);
}

bool same_members(std::vector<std::string> a, std::vector<std::string> b) {
  std::ranges::sort(a);
  std::ranges::sort(b);
  return a == b;
}

std::string measured_text(std::span<const Measured> measured) {
  std::vector<std::string> texts;
  for (const Measured& one : measured) {
    texts.push_back(fmt::format("{} {:.4g} against {:.4g} ({:+.1f} standard errors)", one.label, one.mean, one.theory,
                                excess(one)));
  }
  return listed(texts);
}

}  // namespace

Judgement true_entries_are_found(std::span<const EntryCount> entries, std::size_t trials, const FoundShares& shares) {
  std::vector<EntryCount> truth;
  for (const EntryCount& entry : entries) {
    if (entry.size > 0.0) truth.push_back(entry);
  }
  std::ranges::sort(truth, {}, &EntryCount::size);
  const bool holds = !truth.empty() && std::ranges::all_of(truth, [&](const EntryCount& entry) {
    const double lowest = entry.size >= shares.large ? shares.of_large : shares.of_small;
    return entry.size < shares.asked || share_of(entry.selected, trials) >= lowest;
  });
  return {holds,
          fmt::format("the large true entries are selected in nearly all trials, those below {} in most: sizes and "
                      "counts are {}",
                      shares.large, shares_text(truth, trials))};
}

Judgement other_entries_are_not(std::span<const EntryCount> entries, std::size_t trials, const FoundShares& shares) {
  std::vector<std::size_t> others;
  std::size_t drowned = 0;
  for (const EntryCount& entry : entries) {
    if (entry.size == 0.0) others.push_back(entry.selected);
    if (entry.size > 0.0 && entry.size < shares.asked) ++drowned;
  }
  std::ranges::sort(others, std::greater<>());
  const auto ever = std::ranges::count_if(others, [](std::size_t selected) { return selected > 0; });
  // s entries are kept in any case. The place of a true one that drowns is taken by another in most trials, and which
  // one the noise prefers is the same in all of them: as many are let pass.
  const auto too_often = [&](std::size_t selected) { return share_of(selected, trials) > shares.of_others; };
  std::vector<double> passed;
  while (passed.size() < std::min(drowned, others.size()) && too_often(others[passed.size()])) {
    passed.push_back(static_cast<double>(others[passed.size()]));
  }
  const std::size_t most = passed.size() < others.size() ? others[passed.size()] : 0;
  return {!too_often(most),
          fmt::format("no other entry is selected in more than a few: of {} others {} were ever selected, none in more "
                      "than {} of {} trials{}",
                      others.size(), ever, most, trials,
                      passed.empty() ? ""
                                     : fmt::format(", but for what takes the place of true entries below {}, which "
                                                   "drown in the noise ({} trials)",
                                                   shares.asked, listed(passed, "{:.0f}")))};
}

Judgement instances_are_recovered(std::size_t recovered, std::size_t trials, std::size_t instances,
                                  double least_share) {
  return {share_of(recovered, trials) >= least_share,
          fmt::format("other instances do as well: on {} of them the whole support was found in {} of {} trials",
                      instances, recovered, trials)};
}

Judgement horizon_shrinks(const HorizonCurve& curve, double at_most) {
  const auto lowest = std::ranges::min_element(curve.horizons);
  const double first = curve.horizons.front();
  return {*lowest <= at_most * first,
          fmt::format("noise columns shrink the horizon: from {:.3f} without any to {:.3f}, {:.0f} % of it", first,
                      *lowest, 100.0 * *lowest / first)};
}

Judgement horizon_grows_again(const HorizonCurve& curve, double by) {
  const auto lowest = std::ranges::min_element(curve.horizons);
  const auto place = static_cast<std::size_t>(lowest - curve.horizons.begin());
  const bool inside = place > 0 && place + 1 < curve.horizons.size();
  return {inside && curve.horizons.back() >= by * *lowest,
          fmt::format("too many make it larger again: least at {:.0f} columns with {:.3f}, {:.3f} at {:.0f}",
                      curve.columns[place], *lowest, curve.horizons.back(), curve.columns.back())};
}

Judgement horizon_levels_agree(const HorizonCurve& curve, std::span<const double> expected, double tolerance) {
  double worst = 0.0;
  const bool complete = expected.size() == curve.horizons.size();
  for (std::size_t k = 0; complete && k < expected.size(); ++k) {
    worst = std::max(worst, std::abs(curve.horizons[k] / expected[k] - 1.0));
  }
  return {complete && worst <= tolerance,
          fmt::format("the levels are those of an independent program: {} against {}, at most {:.0f} % apart",
                      listed(curve.horizons, "{:.2f}"), listed(expected, "{:.2f}"), 100.0 * worst)};
}

std::vector<double> SelectionRuns::means() const {
  std::vector<double> result(names.size(), 0.0);
  for (const auto& run : runs) {
    for (std::size_t j = 0; j < run.size(); ++j) {
      result[j] += static_cast<double>(run[j]) / static_cast<double>(runs.size());
    }
  }
  return result;
}

Judgement most_selected_are(const SelectionRuns& selection, std::span<const std::string> expected) {
  const std::vector<double> means = selection.means();
  std::vector<std::size_t> order(means.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return means[a] > means[b]; });

  std::vector<std::string> found, texts;
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (k < expected.size()) found.push_back(selection.names[order[k]]);
    if (k <= expected.size()) texts.push_back(fmt::format("{} {:.0f}", selection.names[order[k]], means[order[k]]));
  }
  // The last one in against the first one out, run by run.
  bool clear = order.size() > expected.size();
  double gap = 0.0, error = 0.0;
  if (clear) {
    std::vector<double> gaps;
    const std::size_t in = order[expected.size() - 1], out = order[expected.size()];
    for (const auto& run : selection.runs) gaps.push_back(static_cast<double>(run[in]) - static_cast<double>(run[out]));
    gap = mean(gaps);
    error = standard_error(gaps);
    clear = gap > 2.0 * error;
  }
  return {
      clear && same_members(found, {expected.begin(), expected.end()}),
      fmt::format("the most selected are {}: {} (mean of {} runs; the last is ahead of the next by {:.0f} +- {:.0f})",
                  listed(expected), listed(texts), selection.runs.size(), gap, error)};
}

Judgement first_features_agree(std::span<const std::string> ranking, std::span<const std::string> entered,
                               std::size_t count) {
  const auto head = [&](std::span<const std::string> names) { return names.first(std::min(count, names.size())); };
  const bool same = std::ranges::equal(head(ranking), head(entered));
  return {same && ranking.size() >= count && entered.size() >= count,
          fmt::format("the {} features selected most are the first to enter the Lasso, in the same order: {}{}", count,
                      listed(head(ranking)), same ? "" : " against " + listed(head(entered)))};
}

Judgement largest_coefficients_agree(std::span<const std::string> selected, std::span<const LambdaRange> ranges) {
  const bool wide = std::ranges::any_of(ranges, [](const LambdaRange& r) { return !r.open && r.high >= 2.0 * r.low; });
  return {wide,
          fmt::format("the Lasso gives the {} features selected most its largest coefficients: {}, {}", selected.size(),
                      listed(selected), ranges.empty() ? "at no lambda" : "for lambda from " + ranges_text(ranges))};
}

double excess(const Measured& measured) {
  const double gap = measured.mean - measured.theory;
  if (std::abs(gap) <= 1e-12 * std::abs(measured.theory)) return 0.0;
  return gap / std::max(measured.standard_error, 1e-300);
}

Judgement stays_below(std::string claim, std::span<const Measured> worst) {
  const bool holds =
      !worst.empty() && std::ranges::all_of(worst, [](const Measured& one) { return excess(one) <= 4.0; });
  return {holds, fmt::format("{}: {}", claim, measured_text(worst))};
}

Judgement agrees(std::string claim, std::span<const Measured> measured) {
  const bool holds = !measured.empty() &&
                     std::ranges::all_of(measured, [](const Measured& one) { return std::abs(excess(one)) <= 4.0; });
  return {holds, fmt::format("{}: {}", claim, measured_text(measured))};
}

Judgement all_within(std::string claim, std::span<const double> distances, double level) {
  // Not `distance > level`: what is not a number is not within.
  const bool holds =
      !distances.empty() && std::ranges::all_of(distances, [=](double distance) { return distance <= level; });
  return {holds, fmt::format("{}: {} (at most {:.0e} asked)", claim, listed(distances, "{:.1e}"), level)};
}

}  // namespace fedrk::experiments

// SPDX-License-Identifier: Apache-2.0
#include "api/compare_methods.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/number.hpp"
#include "report/text.hpp"

namespace fedrk::api {
namespace {

std::string flops_text(std::optional<double> flops) {
  if (!flops) return "-";
  static constexpr const char* kUnits[] = {"", "k", "M", "G", "T", "P"};
  double value = *flops;
  std::size_t unit = 0;
  for (; value >= 1000.0 && unit + 1 < std::size(kUnits); ++unit) value /= 1000.0;
  return fmt::format("{:.3g} {}flop", value, kUnits[unit]);
}

std::string support_text(const io::FinishedComparison& comparison, const Outcome& outcome) {
  constexpr std::size_t kMaxNames = 6;
  if (!comparison.true_support.empty()) {
    return fmt::format("{} of {}", true_entries(comparison, outcome), comparison.true_support.size());
  }
  std::vector<std::string> names;
  for (const std::size_t j : outcome.support) {
    if (names.size() < kMaxNames) names.push_back(comparison.unknowns[j]);
  }
  const char* more = outcome.support.size() > kMaxNames ? " ..." : "";
  return fmt::format("{}{}", fmt::join(names, " "), more);
}

std::string rounds_text(const Outcome& outcome) {
  if (outcome.reached) return std::to_string(outcome.rounds);
  if (outcome.diverged) return "diverged";
  return outcome.ended ? fmt::format("({})", outcome.rounds) : fmt::format("> {}", outcome.rounds);
}

std::string outcome_table(const io::FinishedComparison& comparison) {
  const bool errors = comparison.reference != io::Reference::None;
  const bool supports = std::ranges::any_of(comparison.outcomes, [](const Outcome& o) { return !o.support.empty(); });
  std::vector<std::vector<std::string>> rows{{"method", "clients", "rounds", "up", "down", "work", "time"}};
  if (errors) rows[0].push_back("error");
  rows[0].insert(rows[0].end(), {"residual", "server sees"});
  if (supports) rows[0].push_back("support");
  const auto level = [](std::optional<double> value) { return value ? fmt::format("{:.1e}", *value) : "-"; };
  for (const Outcome& outcome : comparison.outcomes) {
    auto& row = rows.emplace_back(
        std::vector<std::string>{outcome.label, fmt::format("{} of {}", outcome.participants, comparison.clients),
                                 rounds_text(outcome), bytes_text(outcome.bytes_up), bytes_text(outcome.bytes_down),
                                 flops_text(outcome.flops), fmt::format("{:.2f} s", outcome.seconds)});
    if (errors) row.push_back(level(outcome.error));
    row.insert(row.end(), {level(outcome.residual), outcome.server_sees});
    if (supports) row.push_back(support_text(comparison, outcome));
  }
  return table(rows);
}

std::string header(const io::FinishedComparison& comparison) {
  std::string text = fmt::format("Rounds until the {} is at most {}", reference_text(comparison.reference),
                                 io::to_text(comparison.target));
  const auto any = [&](auto test) { return std::ranges::any_of(comparison.outcomes, test); };
  if (any([](const Outcome& o) { return !o.reached && !o.ended && !o.diverged; }))
    text += "; \"> N\": not within N rounds";
  if (any([](const Outcome& o) { return !o.reached && o.ended; })) {
    text += "; \"(N)\": the method ended by itself after N rounds without that";
  }
  text += ". Up, down and work are those of one client, on average, over all rounds.";
  if (any([](const Outcome& o) { return !o.support.empty(); })) {
    text += " Each method is judged by as many of its largest entries as --keep says.";
  }
  return text;
}

std::string about(const Outcome& outcome) {
  std::string text = fmt::format("{}: {}", outcome.label, outcome.about);
  if (!outcome.note.empty()) text += "; " + outcome.note;
  if (!outcome.refused.empty()) text += fmt::format("; the server could not use some answers: {}", outcome.refused);
  text += '.';
  for (const std::string& remark : outcome.remarks) text += ' ' + remark;
  return text;
}

}  // namespace

std::string comparison_text(const io::FinishedComparison& comparison) {
  constexpr std::size_t kWidth = 100;
  const auto counted = [](std::size_t count, const char* thing) {
    return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
  };
  std::string text = fmt::format("{}: {}, {}, {}\n", comparison.title, counted(comparison.rows, "row"),
                                 counted(comparison.unknowns.size(), "unknown"), counted(comparison.clients, "client"));
  text += wrapped(header(comparison), kWidth, 0);
  if (!comparison.outcomes.empty()) text += '\n' + outcome_table(comparison);
  text += '\n';
  for (const std::string& note : comparison.notes) text += wrapped(note, kWidth, 0);
  for (const io::LeftOut& method : comparison.left_out) {
    text += wrapped(fmt::format("Left out: {}, {}.", method.name, method.why), kWidth, 0);
  }
  if (!comparison.notes.empty() || !comparison.left_out.empty()) text += '\n';
  bool searched = false;
  for (const Outcome& outcome : comparison.outcomes) {
    text += wrapped(about(outcome), kWidth, 2);
    searched = searched || !outcome.note.empty();
  }
  if (searched) {
    text += wrapped("Step sizes were chosen by the residual after pilot runs, which are not in the table.", kWidth, 2);
  }
  return text;
}

}  // namespace fedrk::api

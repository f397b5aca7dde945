// SPDX-License-Identifier: Apache-2.0

// What an attack (api/attack.hpp) found, for people and for programs.

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "inspect_attack.hpp"
#include "output.hpp"

namespace fedrk::app {
namespace {

using Json = nlohmann::ordered_json;
using api::AttackedClient;
using api::AttackFindings;
using api::MomentsFindings;
using api::ShownDirections;
using api::SumsFindings;

constexpr std::size_t kMaxLines = 30;  // of a table

struct Totals {
  std::size_t records = 0, updates = 0;
  std::optional<std::size_t> recovered{}, with_draws{}, confirmed{};
};

void add_to(std::optional<std::size_t>& sum, std::optional<std::size_t> count) {
  if (count) sum = sum.value_or(0) + *count;
}

Totals totals_of(const AttackFindings& findings) {
  Totals all;
  for (const AttackedClient& client : findings.clients) {
    all.records += client.records;
    all.updates += client.updates;
    add_to(all.recovered, client.recovered);
    add_to(all.with_draws, client.recovered_with_draws);
    add_to(all.confirmed, client.confirmed);
  }
  return all;
}

std::string updates_text(const AttackFindings& findings, const Totals& all) {
  std::string text = fmt::format("From {} updates a curious server rebuilds {} of {} records without knowing the draws",
                                 all.updates, all.recovered.value_or(0), all.records);
  text += all.with_draws ? fmt::format(", and {} with the clients' seeds", *all.with_draws) : std::string();
  text += fmt::format("; it can confirm {} to whoever has them already.", all.confirmed.value_or(0));
  if (findings.others > 0) {
    text += fmt::format(" It made no use of {} further messages: products, and steps with soft thresholding.",
                        findings.others);
  }
  return text;
}

// 1 sum, 2 sums
std::string count_of(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::size_t total(const std::vector<std::size_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

std::string directions_text(const SumsFindings& found) {
  std::string text = found.sums == 1 ? "1 sum shows " : fmt::format("{} sums show ", found.sums);
  if (found.runs > 1) text = fmt::format("{} sums, of {} runs of the plan, show ", found.sums, found.runs);
  text += count_of(found.shown, "direction") + " of the rows of all clients together.";
  const auto shows_less = [](const ShownDirections& group) { return !group.tall() && group.shown < group.possible; };
  if (std::ranges::any_of(found.groups, shows_less)) {
    text += " Further runs with other draws or questions show more, until each group's are as many as its rows.";
  }
  return text;
}

std::string search_text(const SumsFindings& found, const Totals& all) {
  const std::size_t recovered = total(found.recovered), confirmed = total(found.confirmed);
  std::string text = fmt::format(" Records were not searched in their span: {}.", found.not_searched);
  if (found.not_searched.empty()) {
    text = fmt::format(
        " A search of their span for records, in the {} columns that hold whole numbers from 0 to {}, rebuilt {} of {} "
        "records.",
        found.columns, found.levels - 1, recovered, all.records);
  }
  if (confirmed > 0) text += fmt::format(" {} lie in it: who has them already can confirm them", confirmed);
  if (found.not_searched.empty() && confirmed > recovered) text += ", and a better search may find them";
  return confirmed > 0 ? text + "." : text;
}

std::string rules_text(const SumsFindings& found) {
  std::string text = fmt::format(
      " Clients that keep the rules that owners have by default (max-share {}, min-sum {}, min-rows {}) allow {}",
      found.rules.max_share, found.rules.min_sum, found.rules.min_rows,
      found.allowed == 0 ? "none of these sums" : fmt::format("{} of these directions", found.allowed));
  if (found.allowed == 0) return text + ".";
  if (found.not_searched.empty()) {
    text += fmt::format(": from the sums up to there {} records were rebuilt and {} lie in the span",
                        found.recovered_within_rules, found.confirmed_within_rules);
  }
  return text + ".";
}

std::string readings_text(const AttackFindings& findings, const Totals& all) {
  if (findings.sums == 0) return "";
  if (!findings.readings_not_tried.empty()) {
    return " Reading each sum as one client's update was " + findings.readings_not_tried;
  }
  return fmt::format(
      " Each sum, and the mean over those in it, taken for one client's update, from x and from 0, as a multiple of a "
      "row and as a point on the hyperplane of a row, gave {} of {} records and confirmed {}.",
      findings.recovered_by_reading, all.records, findings.confirmed_by_reading);
}

std::string moments_text(const MomentsFindings& found, const Totals& all, std::size_t clients) {
  const std::string what = found.by_residuals
                               ? "Residuals over groups of three that are drawn afresh"
                               : "Cross-products over everyone, and in further runs over everyone but one";
  if (!found.not_tried.empty()) return fmt::format(" {}: not tried, as {}.", what, found.not_tried);
  std::string text = fmt::format(" {}: {} runs ({} sums) give the second moments of {} of {} clients", what, found.runs,
                                 found.sums, found.clients, clients);
  if (found.records) text += fmt::format(", and {} of {} records from these", *found.records, all.records);
  return text +
         fmt::format(". Within the rules {} answered, and the moments of {} known.",
                     found.sums_within_rules == 1 ? "1 sum is" : fmt::format("{} sums are", found.sums_within_rules),
                     found.clients_within_rules == 0 ? std::string("no client are")
                                                     : count_of(found.clients_within_rules, "client") + " are");
}

std::string sums_text(const AttackFindings& findings, const Totals& all) {
  if (!findings.spans) return "The server saw no sum without noise, and no attack was tried.";
  const SumsFindings& found = *findings.spans;
  std::string text = found.not_tried.empty()
                         ? directions_text(found) + search_text(found, all) + rules_text(found)
                         : fmt::format("The attack on the span of the sums was not tried: {}.", found.not_tried);
  text += readings_text(findings, all);
  if (findings.moments) text += moments_text(*findings.moments, all, findings.clients.size());
  return text +
         " Not tried: a run after one row has changed, and questions of the server's choosing; docs/privacy.md says "
         "what these find without the owners' rules and with them.";
}

std::string text_of(const AttackFindings& findings) {
  const Totals all = totals_of(findings);
  if (all.updates == 0) return sums_text(findings, all);
  std::string text = updates_text(findings, all);
  if (findings.standardized) {
    text += " Records are in the units of the solver, standardised; the server knows means and scales, too.";
  }
  return text;
}

std::string group_name(const ShownDirections& group) {
  constexpr std::size_t kNames = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(kNames, group.clients.size()); ++i) {
    text += (i == 0 ? "" : ", ") + group.clients[i];
  }
  if (group.clients.size() > kNames) text += fmt::format(" and {} more", group.clients.size() - kNames);
  return text;
}

std::string groups_table(const SumsFindings& found) {
  std::vector<std::vector<std::string>> rows{{"sums over", "rows", "directions", "shown", "within the rules"}};
  for (std::size_t i = 0; i < std::min(kMaxLines, found.groups.size()); ++i) {
    const ShownDirections& group = found.groups[i];
    rows.push_back({group_name(group), std::to_string(group.rows), std::to_string(group.possible),
                    std::to_string(group.shown), std::to_string(group.allowed)});
  }
  std::string text = table(rows);
  if (found.groups.size() > kMaxLines) text += fmt::format("  ... and {} more\n", found.groups.size() - kMaxLines);
  return text;
}

Json moments_json(const MomentsFindings& found) {
  if (!found.not_tried.empty()) return {{"tried", false}, {"words", found.not_tried}};
  return {{"tried", true},
          {"by", found.by_residuals ? "residuals" : "cross-products"},
          {"runs", found.runs},
          {"sums", found.sums},
          {"clients", found.clients},
          {"records", found.records ? Json(*found.records) : Json(nullptr)},
          {"within_rules", {{"sums", found.sums_within_rules}, {"clients", found.clients_within_rules}}}};
}

Json spans_json(const SumsFindings& found) {
  if (!found.not_tried.empty()) return {{"tried", false}, {"words", found.not_tried}};
  const bool searched = found.not_searched.empty();
  Json document{{"tried", true},
                {"runs", found.runs},
                {"sums", found.sums},
                {"directions", found.shown},
                {"searched_columns", searched ? Json(found.columns) : Json(nullptr)},
                {"levels", searched ? Json(found.levels) : Json(nullptr)},
                {"not_searched", found.not_searched},
                {"recovered", searched ? Json(total(found.recovered)) : Json(nullptr)},
                {"confirmed", found.confirmed.empty() ? Json(nullptr) : Json(total(found.confirmed))},
                {"within_rules",
                 {{"max_share", found.rules.max_share},
                  {"min_sum", found.rules.min_sum},
                  {"min_rows", found.rules.min_rows},
                  {"directions", found.allowed},
                  {"recovered", searched ? Json(found.recovered_within_rules) : Json(nullptr)},
                  {"confirmed", found.confirmed.empty() ? Json(nullptr) : Json(found.confirmed_within_rules)}}},
                {"groups", Json::array()}};
  for (const ShownDirections& group : found.groups) {
    document["groups"].push_back({{"clients", group.clients},
                                  {"rows", group.rows},
                                  {"possible", group.possible},
                                  {"shown", group.shown},
                                  {"within_rules", group.allowed}});
  }
  return document;
}

}  // namespace

std::string attack_text(const AttackFindings& findings) {
  if (!findings.not_tried.empty()) return wrapped(findings.not_tried, 96, 2);
  const bool with_draws = totals_of(findings).with_draws.has_value();
  std::vector<std::vector<std::string>> rows{{"client", "records", "recovered", "confirmed"}};
  if (with_draws) rows[0].insert(rows[0].begin() + 3, "with known draws");
  for (std::size_t i = 0; i < std::min(kMaxLines, findings.clients.size()); ++i) {
    const AttackedClient& client = findings.clients[i];
    const auto or_dash = [](std::optional<std::size_t> count) { return count ? std::to_string(*count) : "-"; };
    rows.push_back({client.name, std::to_string(client.records), or_dash(client.recovered), or_dash(client.confirmed)});
    if (with_draws) rows.back().insert(rows.back().begin() + 3, or_dash(client.recovered_with_draws));
  }
  std::string text = table(rows);
  if (findings.clients.size() > kMaxLines)
    text += fmt::format("  ... and {} more\n", findings.clients.size() - kMaxLines);
  if (findings.spans && findings.spans->not_tried.empty()) text += "\n" + groups_table(*findings.spans);
  return text + wrapped(text_of(findings), 96, 2);
}

Json attack_json(const AttackFindings& findings) {
  if (!findings.not_tried.empty()) return {{"tried", false}, {"words", findings.not_tried}};
  const auto or_null = [](std::optional<std::size_t> number) { return number ? Json(*number) : Json(nullptr); };
  const Totals all = totals_of(findings);
  Json document{{"tried", true},
                {"updates", all.updates},
                {"sums", findings.sums},
                {"others", findings.others},
                {"records", all.records},
                {"recovered", or_null(all.recovered)},
                {"recovered_with_draws", or_null(all.with_draws)},
                {"confirmed", or_null(all.confirmed)},
                {"standardized", findings.standardized},
                {"spans", findings.spans ? spans_json(*findings.spans) : Json(nullptr)},
                {"moments", findings.moments ? moments_json(*findings.moments) : Json(nullptr)},
                {"clients", Json::array()},
                {"words", text_of(findings)}};
  for (const AttackedClient& client : findings.clients) {
    document["clients"].push_back({{"name", client.name},
                                   {"records", client.records},
                                   {"updates", client.updates},
                                   {"recovered", or_null(client.recovered)},
                                   {"recovered_with_draws", or_null(client.recovered_with_draws)},
                                   {"confirmed", or_null(client.confirmed)}});
  }
  return document;
}

}  // namespace fedrk::app

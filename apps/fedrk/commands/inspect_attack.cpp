// SPDX-License-Identifier: Apache-2.0

// What an attack (api/attack.hpp) found, for people and for programs.

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "inspect_attack.hpp"
#include "output.hpp"

namespace fedrk::app {
namespace {

using Json = nlohmann::ordered_json;
using api::AttackedClient;
using api::AttackFindings;

struct Totals {
  std::size_t records = 0, updates = 0, recovered = 0, confirmed = 0;
  std::optional<std::size_t> with_draws{};
};

Totals totals_of(const AttackFindings& findings) {
  Totals all;
  for (const AttackedClient& client : findings.clients) {
    all.records += client.records;
    all.updates += client.updates;
    all.recovered += client.recovered;
    all.confirmed += client.confirmed;
    if (client.recovered_with_draws) all.with_draws = all.with_draws.value_or(0) + *client.recovered_with_draws;
  }
  return all;
}

std::string text_of(const AttackFindings& findings) {
  const Totals all = totals_of(findings);
  std::string text;
  if (all.updates > 0) {
    text = fmt::format("From {} updates a curious server rebuilds {} of {} records without knowing the draws",
                       all.updates, all.recovered, all.records);
    text += all.with_draws ? fmt::format(", and {} with the clients' seeds", *all.with_draws) : std::string();
    text += fmt::format("; it can confirm {} to whoever has them already.", all.confirmed);
  } else {
    text = fmt::format(
        "From {} sums {} of {} records were recovered, and {} confirmed. Tried: each sum, and the mean over those in "
        "it, taken for one client's update, from x and from 0, as a multiple of a row, as a point on the hyperplane of "
        "a row, and held against every true record.",
        findings.sums, all.recovered, all.records, all.confirmed);
  }
  if (findings.others > 0) {
    text += fmt::format(" It made no use of {} further messages: products, and steps with soft thresholding.",
                        findings.others);
  }
  if (findings.standardized) {
    text += " Records are in the units of the solver, standardised; the server knows means and scales, too.";
  }
  return text;
}

}  // namespace

std::string attack_text(const AttackFindings& findings) {
  constexpr std::size_t kMax = 30;
  if (!findings.not_tried.empty()) return wrapped(findings.not_tried, 96, 2);
  const bool with_draws = totals_of(findings).with_draws.has_value();
  std::vector<std::vector<std::string>> rows{{"client", "records", "recovered", "confirmed"}};
  if (with_draws) rows[0].insert(rows[0].begin() + 3, "with known draws");
  for (std::size_t i = 0; i < std::min(kMax, findings.clients.size()); ++i) {
    const AttackedClient& client = findings.clients[i];
    rows.push_back({client.name, std::to_string(client.records), std::to_string(client.recovered),
                    std::to_string(client.confirmed)});
    const auto& known = client.recovered_with_draws;
    if (with_draws) rows.back().insert(rows.back().begin() + 3, known ? std::to_string(*known) : "-");
  }
  std::string text = table(rows);
  if (findings.clients.size() > kMax) text += fmt::format("  ... and {} more\n", findings.clients.size() - kMax);
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
                {"recovered", all.recovered},
                {"recovered_with_draws", or_null(all.with_draws)},
                {"confirmed", all.confirmed},
                {"standardized", findings.standardized},
                {"clients", Json::array()},
                {"words", text_of(findings)}};
  for (const AttackedClient& client : findings.clients) {
    document["clients"].push_back({{"name", client.name},
                                   {"records", client.records},
                                   {"updates", client.updates},
                                   {"recovered", client.recovered},
                                   {"recovered_with_draws", or_null(client.recovered_with_draws)},
                                   {"confirmed", client.confirmed}});
  }
  return document;
}

}  // namespace fedrk::app

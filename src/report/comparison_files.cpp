// SPDX-License-Identifier: Apache-2.0
#include "report/comparison_files.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/number.hpp"
#include "base/write_file.hpp"
#include "data/csv.hpp"
#include "report/json_text.hpp"
#include "report/plot/standalone_svg.hpp"

namespace fedrk::io {
namespace {

Json support_json(const FinishedComparison& comparison, const Outcome& outcome) {
  Json names = Json::array();
  for (const std::size_t j : outcome.support) names.push_back(comparison.unknowns[j]);
  return names;
}

Json outcome_json(const FinishedComparison& comparison, const Outcome& outcome) {
  Json entry{{"name", outcome.name},
             {"label", outcome.label},
             {"reached", outcome.reached},
             {"ended_by_itself", outcome.ended},
             {"diverged", outcome.diverged},
             {"rounds", outcome.rounds},
             {"participants", outcome.participants},
             {"bytes_up_per_client", number_or_null(outcome.bytes_up)},
             {"bytes_down_per_client", number_or_null(outcome.bytes_down)},
             {"flops_per_client", number_or_null(outcome.flops)},
             {"seconds", number_or_null(outcome.seconds)},
             {"relative_error", number_or_null(outcome.error)},
             {"relative_residual", number_or_null(outcome.residual)},
             {"server_sees", outcome.server_sees},
             {"about", outcome.about},
             {"note", outcome.note},
             {"remarks", outcome.remarks},
             {"refused", outcome.refused}};
  if (!outcome.support.empty()) entry["support"] = support_json(comparison, outcome);
  if (!comparison.true_support.empty() && !outcome.support.empty())
    entry["true_entries_found"] = true_entries(comparison, outcome);
  return entry;
}

std::string reference_name(Reference reference) {
  switch (reference) {
    case Reference::Truth:
      return "truth";
    case Reference::DirectSolution:
      return "direct_solution";
    case Reference::None:
      break;
  }
  return "none";
}

// A line for each of the first eight methods that take more than a round: more could not be told apart, and one round
// makes no line. Rounds span orders of magnitude, so their axis is logarithmic.
LinePlot error_plot(const FinishedComparison& comparison) {
  LinePlot plot{.title = "Relative error against rounds",
                .x_label = "round",
                .y_label = "relative error",
                .log_x = true,
                .levels = {{"target " + to_text(comparison.target), comparison.target, true}},
                .height = 420.0};
  constexpr std::size_t kMaxLines = 8;
  for (const Outcome& outcome : comparison.outcomes) {
    if (outcome.errors.size() < 2 || plot.series.size() == kMaxLines) continue;
    Series& series = plot.series.emplace_back(Series{.label = outcome.label});
    for (std::size_t t = 0; t < outcome.errors.size(); ++t) {
      series.points.push_back({static_cast<double>(t + 1), outcome.errors[t]});
    }
  }
  return plot;
}

}  // namespace

std::string reference_text(Reference reference) {
  switch (reference) {
    case Reference::Truth:
      return "relative error to the known solution";
    case Reference::DirectSolution:
      return "relative error to the least-squares solution of a direct solver";
    case Reference::None:
      break;
  }
  return "relative residual (as no solution is known)";
}

std::size_t true_entries(const FinishedComparison& comparison, const Outcome& outcome) {
  return static_cast<std::size_t>(std::ranges::count_if(
      outcome.support, [&](std::size_t j) { return std::ranges::binary_search(comparison.true_support, j); }));
}

std::string comparison_json(const FinishedComparison& comparison) {
  Json methods = Json::array();
  for (const Outcome& outcome : comparison.outcomes) methods.push_back(outcome_json(comparison, outcome));
  Json left_out = Json::array();
  for (const LeftOut& method : comparison.left_out) left_out.push_back({{"name", method.name}, {"why", method.why}});
  const Json document{{"version", FEDRK_VERSION},
                      {"title", comparison.title},
                      {"rows", comparison.rows},
                      {"unknowns", comparison.unknowns.size()},
                      {"clients", comparison.clients},
                      {"seed", comparison.seed},
                      {"target", comparison.target},
                      {"reference", reference_name(comparison.reference)},
                      {"methods", methods},
                      {"left_out", left_out},
                      {"notes", comparison.notes},
                      {"interrupted", comparison.interrupted}};
  return text_of(document);
}

std::string comparison_csv(const FinishedComparison& comparison) {
  std::string text =
      "name,label,reached,rounds,participants,bytes_up_per_client,bytes_down_per_client,flops_per_client,seconds,"
      "relative_error,relative_residual,support,server_sees\n";
  for (const Outcome& outcome : comparison.outcomes) {
    text += csv_field(outcome.name) + ',' + csv_field(outcome.label) + (outcome.reached ? ",true," : ",false,") +
            std::to_string(outcome.rounds) + ',' + std::to_string(outcome.participants);
    using Value = std::optional<double>;
    for (const Value& value : {Value(outcome.bytes_up), Value(outcome.bytes_down), outcome.flops,
                               Value(outcome.seconds), outcome.error, outcome.residual}) {
      text += ',';
      if (value && std::isfinite(*value)) append_text(*value, text);
    }
    std::string support;
    for (const std::size_t j : outcome.support) support += (support.empty() ? "" : " ") + comparison.unknowns[j];
    text += ',' + csv_field(support) + ',' + csv_field(outcome.server_sees) + '\n';
  }
  return text;
}

Result<void> write_comparison_files(const std::filesystem::path& folder, const FinishedComparison& comparison) {
  const std::pair<const char*, std::string> files[] = {{"comparison.csv", comparison_csv(comparison)},
                                                       {"comparison.json", comparison_json(comparison)}};
  for (const auto& [name, content] : files) {
    if (auto done = write_file(folder / name, content); !done) return done;
  }
  const bool drawn = comparison.reference != Reference::None;
  return write_svg(folder / "comparison.svg", drawn ? error_plot(comparison) : LinePlot{});
}

}  // namespace fedrk::io

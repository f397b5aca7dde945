// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "io/page_text.hpp"
#include "io/report_sections.hpp"
#include "io/svg_plot.hpp"

namespace fedrk::io {
namespace {

using nlohmann::json;

constexpr std::size_t kMostEntries = 25;
constexpr std::size_t kMostClients = 50;

std::string section(std::string_view title, std::string_view body, std::string_view caption) {
  if (body.empty()) return "";
  std::string html = fmt::format("<section>\n<h2>{}</h2>\n{}", title, body);
  if (!caption.empty()) html += fmt::format("<p class=\"caption\">{}</p>\n", escape_html(caption));
  return html + "</section>\n";
}

std::string in_frame(const std::string& picture) {
  return picture.empty() ? "" : "<div class=\"scroll\">\n" + picture + "</div>\n";
}

// Rounds that did not ask for a value are left out: the line connects those that did.
std::vector<Point> points_of(const SavedRun& run, std::optional<double> SavedRound::*member) {
  std::vector<Point> points;
  for (const SavedRound& round : run.history) {
    if (round.*member) points.push_back({round.round, *(round.*member)});
  }
  return points;
}

std::vector<Level> levels_of(const SavedRun& run) {
  std::vector<Level> levels;
  const auto tolerance = number_at(at(run.result, "options"), "tolerance");
  if (tolerance && *tolerance > 0.0) levels.push_back({"tolerance " + short_number(*tolerance, 2), *tolerance, true});
  const json& convergence = at(run.result, "convergence");
  const auto level = number_at(convergence, "level");
  if (text_at(convergence, "progress") == "hovering" && level && *level > 0.0) {
    levels.push_back({"horizon " + short_number(*level, 2), *level, false});
  }
  return levels;
}

std::string name_of(const json& entry) {
  const std::string name = text_at(entry, "name");
  return name.empty() ? "(no name)" : name;
}

std::string and_more(std::size_t all, std::size_t shown) {
  return all > shown ? fmt::format(" … and {} more in solution.csv.", short_count(all - shown)) : "";
}

std::size_t objects_in(const json& list) { return list.is_array() ? list.size() : 0; }

double weight_of(const json& coefficient) {
  const auto standardized = number_at(coefficient, "standardized");
  return standardized ? *standardized : number_at(coefficient, "coefficient").value_or(0.0);
}

// Places of the entries of largest weight, largest first; equal ones in the order of the file.
std::vector<std::size_t> heaviest(const json& list, std::size_t most) {
  std::vector<double> weights;
  for (const json& entry : list) weights.push_back(std::abs(weight_of(entry)));
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
  order.resize(std::min(order.size(), most));
  return order;
}

}  // namespace

std::string how_it_converged(const SavedRun& run) {
  LinePlot residual{.title = "Relative residual against rounds, on a logarithmic scale",
                    .x_label = "round",
                    .y_label = "relative residual",
                    .series = {{"relative residual", points_of(run, &SavedRound::residual)}},
                    .levels = levels_of(run)};
  std::vector<Point> errors = points_of(run, &SavedRound::error);
  if (!errors.empty()) {
    residual.y_label = "relative residual, error";
    residual.series.push_back({"relative error", std::move(errors)});
  }
  const LinePlot movement{.title = "Movement of x against rounds, on a logarithmic scale",
                          .x_label = "round",
                          .y_label = "movement",
                          .series = {{"movement of x in a round", points_of(run, &SavedRound::movement), true}},
                          .height = 210.0};
  const std::string pictures = in_frame(svg(residual)) + in_frame(svg(movement));
  if (pictures.empty()) return section("How it converged", "<p>No round was recorded.</p>\n", "");
  return section(
      "How it converged", pictures,
      "The residual is the one at the start of a round, as the clients that took part report it. The movement "
      "is the distance between the x of one round and the next.");
}

std::string what_was_selected(const SavedRun& run) {
  const json& selection = at(run.result, "selection");
  const std::size_t all = objects_in(selection);
  const auto keep = count_at(at(run.result, "options"), "keep");
  const auto rounds = count_at(run.result, "rounds");
  BarChart chart{.title = "How often each entry was selected", .label_header = "entry", .columns = {"rounds", "share"}};
  for (std::size_t i = 0; i < std::min(all, kMostEntries); ++i) {
    const auto count = count_at(selection[i], "count").value_or(0);
    const double share =
        rounds.value_or(0) > 0 ? 100.0 * static_cast<double>(count) / static_cast<double>(*rounds) : -1;
    chart.bars.push_back({.label = name_of(selection[i]),
                          .value = static_cast<double>(count),
                          .cells = {short_count(count), share < 0.0 ? "–" : fmt::format("{:.1f} %", share)},
                          .highlighted = !keep || i < *keep});
  }
  std::string caption = "In how many rounds each entry was among those kept.";
  if (keep)
    caption = fmt::format("In how many rounds each entry was among the {} kept; the {} most frequent stand out.", *keep,
                          *keep);
  if (all > kMostEntries) caption += fmt::format(" … and {} more, kept less often.", short_count(all - kMostEntries));
  return section("What was selected", in_frame(svg(chart)), caption);
}

std::string coefficients(const SavedRun& run) {
  const json& list = at(run.result, "coefficients");
  const std::size_t all = objects_in(list);
  if (all == 0) return "";
  const bool standardized =
      std::ranges::any_of(list, [](const json& entry) { return number_at(entry, "standardized").has_value(); });
  BarChart chart{.title = "The largest coefficients", .label_header = "entry", .columns = {"coefficient"}};
  if (standardized) chart.columns.emplace_back("standardised");
  for (const std::size_t i : heaviest(list, kMostEntries)) {
    const auto value = number_at(list[i], "coefficient");
    Bar bar{.label = name_of(list[i]), .value = weight_of(list[i]), .cells = {value ? short_number(*value, 4) : "–"}};
    if (standardized) bar.cells.push_back(short_number(weight_of(list[i]), 4));
    chart.bars.push_back(std::move(bar));
  }
  std::string caption = all > kMostEntries ? fmt::format("The {} largest", kMostEntries) : "All of them";
  caption +=
      standardized
          ? ", by their size in standardised units, which the bars show; the first column is in the units of the data."
          : ", by size.";
  return section("Coefficients", in_frame(svg(chart)), caption + and_more(all, kMostEntries));
}

std::string who_took_part(const SavedRun& run) {
  const json& clients = at(run.result, "clients");
  const std::size_t all = objects_in(clients);
  BarChart chart{.title = "Rounds in which each client took part",
                 .label_header = "client",
                 .columns = {"rounds", "absences", "rows"}};
  const auto cell = [](const std::optional<std::uint64_t>& count) { return count ? short_count(*count) : "–"; };
  for (std::size_t i = 0; i < std::min(all, kMostClients); ++i) {
    const auto rounds = count_at(clients[i], "rounds");
    chart.bars.push_back(
        {.label = name_of(clients[i]),
         .value = static_cast<double>(rounds.value_or(0)),
         .cells = {cell(rounds), cell(count_at(clients[i], "absences")), cell(count_at(clients[i], "rows"))}});
  }
  std::string caption =
      "The bars show the rounds each client answered; absences are rounds it was asked for and did not.";
  if (all > kMostClients) caption += fmt::format(" … and {} more in result.json.", short_count(all - kMostClients));
  return section("Who took part", in_frame(svg(chart)), caption);
}

}  // namespace fedrk::io

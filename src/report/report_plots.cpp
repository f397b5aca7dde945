// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "report/page_text.hpp"
#include "report/plot/svg_plot.hpp"
#include "report/report_sections.hpp"

namespace fedrk::io {
namespace {

constexpr std::size_t kMaxEntries = 25;
constexpr std::size_t kMaxLines = 30;  // of the table
constexpr const char* kIntercept = "(Intercept)";
constexpr std::size_t kMaxClients = 50;

PageData with_caption(const std::string& picture, const std::string& caption) {
  PageData part("svg", picture);
  part.set("caption", caption);
  return part;
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
  const Json& convergence = at(run.result, "convergence");
  const auto level = number_at(convergence, "level");
  if (text_at(convergence, "progress") == "hovering" && level && *level > 0.0) {
    levels.push_back({"horizon " + short_number(*level, 2), *level, false});
  }
  return levels;
}

std::string name_of(const Json& entry) {
  const std::string name = text_at(entry, "name");
  return name.empty() ? "(no name)" : name;
}

std::size_t objects_in(const Json& list) { return list.is_array() ? list.size() : 0; }

double weight_of(const Json& coefficient) {
  const auto standardized = number_at(coefficient, "standardized");
  return standardized ? *standardized : number_at(coefficient, "coefficient").value_or(0.0);
}

// Places of the entries of largest weight, largest first; equal ones in the order of the file. The intercept is apart:
// it has another unit, and its bar would dwarf the others.
std::vector<std::size_t> heaviest(const Json& list, std::size_t most) {
  std::vector<double> weights;
  for (const Json& entry : list) weights.push_back(std::abs(weight_of(entry)));
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t i) { return text_at(list[i], "name") == kIntercept; });
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
  order.resize(std::min(order.size(), most));
  return order;
}

bool is_standardized(const Json& coefficients) {
  return std::ranges::any_of(coefficients,
                             [](const Json& entry) { return number_at(entry, "standardized").has_value(); });
}

std::string number_text(const Json& entry, const char* key) {
  const auto value = number_at(entry, key);
  return value ? short_number(*value, 4) : "–";
}

// As a statistician reads it: the intercept first, then the columns as the data have them.
void put_table(const Json& coefficients, PageData& part) {
  const bool standardized = is_standardized(coefficients);
  PageList columns{PageData("text", "coefficient")};
  if (standardized) columns.emplace_back("text", "standardised");
  PageList rows;
  for (std::size_t i = 0; i < std::min(coefficients.size(), kMaxLines); ++i) {
    PageData row("name", name_of(coefficients[i]));
    PageList cells{PageData("text", number_text(coefficients[i], "coefficient"))};
    if (standardized) cells.emplace_back("text", number_text(coefficients[i], "standardized"));
    row.set("cells", cells);
    rows.push_back(std::move(row));
  }
  part.set("columns", columns);
  part.set("rows", rows);
  const std::size_t all = coefficients.size();
  part.set("more",
           if_any(all > kMaxLines ? fmt::format("… and {} more in solution.csv.", short_count(all - kMaxLines)) : ""));
}

BarChart chart_of(const Json& coefficients) {
  BarChart chart{.title = "Coefficients by size", .label_header = "name", .columns = {"coefficient"}};
  const bool standardized = is_standardized(coefficients);
  if (standardized) chart.columns = {"standardised"};
  for (const std::size_t i : heaviest(coefficients, kMaxEntries)) {
    chart.bars.push_back({.label = name_of(coefficients[i]),
                          .value = weight_of(coefficients[i]),
                          .cells = {number_text(coefficients[i], standardized ? "standardized" : "coefficient")}});
  }
  return chart;
}

// What the picture of the coefficients shows.
std::string chart_caption(const Json& coefficients) {
  const bool intercept =
      std::ranges::any_of(coefficients, [](const Json& entry) { return text_at(entry, "name") == kIntercept; });
  const std::size_t drawn = coefficients.size() - (intercept ? 1 : 0);
  std::string text = drawn > kMaxEntries ? fmt::format("The {} largest coefficients", kMaxEntries) : "Coefficients";
  text += is_standardized(coefficients) ? " by size, in standardised units" : " by size";
  return text + (intercept ? "; the intercept is not drawn." : ".");
}

}  // namespace

void put_rounds(const SavedRun& run, PageData& page) {
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
  PageList figures;
  for (const std::string& picture : {svg(residual), svg(movement)}) {
    if (!picture.empty()) figures.emplace_back("svg", picture);
  }
  if (!figures.empty()) page.set("rounds", PageData("figures", figures));
}

void put_selection(const SavedRun& run, PageData& page) {
  const Json& selection = at(run.result, "selection");
  const std::size_t all = objects_in(selection);
  if (all == 0) return;
  const auto keep = count_at(at(run.result, "options"), "keep");
  // A refit selects nothing.
  const auto refit = number_at(run.result, "refit_rounds").value_or(0.0);
  const double rounds = number_at(run.result, "rounds").value_or(0.0) - refit;
  BarChart chart{.title = "How often each entry was selected", .label_header = "entry", .columns = {"rounds", "share"}};
  for (std::size_t i = 0; i < std::min(all, kMaxEntries); ++i) {
    const auto count = count_at(selection[i], "count").value_or(0);
    const double share = rounds > 0.0 ? 100.0 * static_cast<double>(count) / rounds : -1.0;
    chart.bars.push_back({.label = name_of(selection[i]),
                          .value = static_cast<double>(count),
                          .cells = {short_count(count), share < 0.0 ? "–" : fmt::format("{:.1f} %", share)},
                          .highlighted = !keep || i < *keep});
  }
  std::string caption = "Rounds in which each entry was kept.";
  if (keep) {
    caption = fmt::format("Rounds in which each entry was among the {0} kept; the {0} most frequent stand out.", *keep);
  }
  if (all > kMaxEntries) caption += fmt::format(" … and {} more, kept less often.", short_count(all - kMaxEntries));
  page.set("selection", with_caption(svg(chart), caption));
}

void put_coefficients(const SavedRun& run, PageData& page) {
  const Json& coefficients = at(run.result, "coefficients");
  if (objects_in(coefficients) == 0) return;
  PageData part;
  put_table(coefficients, part);
  const std::string picture = svg(chart_of(coefficients));
  if (!picture.empty()) {
    part.set("figures", PageList{PageData("svg", picture)});
    part.set("caption", if_any(chart_caption(coefficients)));
  }
  page.set("coefficients", part);
}

void put_clients(const SavedRun& run, PageData& page) {
  const Json& clients = at(run.result, "clients");
  const std::size_t all = objects_in(clients);
  if (all == 0) return;
  BarChart chart{.title = "Rounds in which each client took part",
                 .label_header = "client",
                 .columns = {"rounds", "absences", "rows"}};
  const auto cell = [](const std::optional<std::uint64_t>& count) { return count ? short_count(*count) : "–"; };
  for (std::size_t i = 0; i < std::min(all, kMaxClients); ++i) {
    const auto rounds = count_at(clients[i], "rounds");
    chart.bars.push_back(
        {.label = name_of(clients[i]),
         .value = static_cast<double>(rounds.value_or(0)),
         .cells = {cell(rounds), cell(count_at(clients[i], "absences")), cell(count_at(clients[i], "rows"))}});
  }
  std::string caption = "Rounds that each client answered; absences are rounds in which it was asked and did not.";
  if (all > kMaxClients) caption += fmt::format(" … and {} more in result.json.", short_count(all - kMaxClients));
  PageData part = with_caption(svg(chart), caption);
  part.set("heading", text_at(run.result, "goal") == "fit" ? "Sites" : "Clients");
  page.set("clients", part);
}

}  // namespace fedrk::io

// SPDX-License-Identifier: Apache-2.0

// Figure 4: which clinical measures tell of the antigen level? Selection counts of FedRK over seven hospitals beside
// the Lasso on pooled rows.

#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/format.h>

#include "experiments/experiment.hpp"
#include "experiments/judgements.hpp"
#include "experiments/prostate.hpp"
#include "experiments/prostate_lasso.hpp"
#include "experiments/support.hpp"

namespace fedrk::experiments {
namespace {

constexpr std::size_t kRuns = 10;  // draws of the same federation: they show how far a count can be trusted
const std::array<std::string, 5> kPaperSelection{"(Intercept)", "lcavol", "svi", "lweight", "lbph"};

// Unknowns, the intercept left out, by falling value.
std::vector<std::size_t> features_by(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size() - 1);
  std::iota(order.begin(), order.end(), std::size_t{1});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
  return order;
}

std::vector<std::string> names_of(const std::vector<std::size_t>& order, const std::vector<std::string>& names) {
  std::vector<std::string> result;
  for (const std::size_t j : order) result.push_back(names[j]);
  return result;
}

std::string exact_selection_note(const Prostate& data, const LassoView& view) {
  const auto order = features_by(view.entered);
  const auto names = names_of(order, data.unknowns);
  std::vector<std::string> texts;
  for (const std::size_t j : order) texts.push_back(fmt::format("{} {:.3f}", data.unknowns[j], view.entered[j]));
  const std::string text = fmt::format("Features enter the Lasso as lambda falls: {}. ", listed(texts));
  if (!view.exactly.empty()) {
    return text +
           fmt::format("It selects exactly {} for lambda from {}.", listed(kPaperFeatures), ranges_text(view.exactly));
  }
  return text + fmt::format("On these {} rows no lambda selects exactly {}: the four that enter first are {}.",
                            data.system.rhs.size(), listed(kPaperFeatures), listed(std::span(names).first(4)));
}

Figure selection_figure(const SelectionRuns& selection, const LassoView& view) {
  const auto means = selection.means();
  io::BarChart chart;
  chart.title = "How often each unknown is kept";
  chart.label_header = "unknown";
  chart.columns = {"rounds, mean", "least", "most", "enters the Lasso at"};
  std::vector<std::size_t> order = features_by(means);
  order.insert(order.begin(), 0);
  for (const std::size_t j : order) {
    io::Bar bar;
    bar.label = selection.names[j];
    bar.value = means[j];
    std::vector<std::uint64_t> counts;
    for (const auto& run : selection.runs) counts.push_back(run[j]);
    bar.cells = {fmt::format("{:.0f}", means[j]), fmt::format("{}", *std::ranges::min_element(counts)),
                 fmt::format("{}", *std::ranges::max_element(counts)),
                 j == 0 ? "not penalised" : fmt::format("{:.3f}", view.entered[j])};
    bar.highlighted = std::ranges::find(kPaperSelection, bar.label) != kPaperSelection.end();
    chart.bars.push_back(std::move(bar));
  }
  return {"fig4-selection",
          fmt::format("After every round the server keeps the five largest coefficients. The bars count the rounds of "
                      "{} in which each unknown was among them, mean of {} runs; the coloured ones are those the paper "
                      "reports. The last column is the penalty at which the Lasso on the pooled rows takes the feature "
                      "in: the larger, the earlier.",
                      kProstateRounds, kRuns),
          std::move(chart)};
}

Figure path_figure(const Prostate& data, const LassoView& view) {
  io::LinePlot plot;
  plot.title = "The Lasso path on the pooled rows";
  plot.x_label = "lambda";
  plot.y_label = "coefficient";
  plot.log_y = false;
  plot.log_x = true;
  plot.whole_x = false;
  for (std::size_t j = 1; j < data.unknowns.size(); ++j) {
    io::Series series;
    series.label = data.unknowns[j];
    series.thin = !in_paper(data.unknowns[j]);
    for (std::size_t k = view.path.lambdas.size(); k-- > 0;) {
      series.points.push_back({view.path.lambdas[k], view.path.solutions[k][j]});
    }
    plot.series.push_back(std::move(series));
  }
  const auto order = features_by(view.entered);
  for (const std::size_t place : {std::size_t{3}, std::size_t{4}}) {
    const std::size_t j = order[place];
    plot.markers.push_back({data.unknowns[j] + " enters", view.entered[j]});
  }
  return {"fig4-lasso",
          "What one would do if the rows could be pooled: the coefficients of the standardised features that minimise "
          "1/(2m) ||Ax-b||^2 + lambda sum|x_j|, the intercept not penalised, against lambda. From right to left one "
          "feature after the other becomes non-zero; the vertical lines mark the fourth and the fifth.",
          std::move(plot)};
}

std::vector<Table> tables_of(const Prostate& data, const SelectionRuns& selection, const LassoView& view) {
  Table counts{"fig4-selection", {"unknown", "mean"}, {}};
  for (std::size_t k = 1; k <= selection.runs.size(); ++k) counts.columns.push_back(fmt::format("run_{}", k));
  counts.columns.emplace_back("lasso_entry");
  const auto means = selection.means();
  for (std::size_t j = 0; j < data.unknowns.size(); ++j) {
    std::vector<double> row{means[j]};
    for (const auto& run : selection.runs) row.push_back(static_cast<double>(run[j]));
    row.push_back(view.entered[j]);
    counts.rows.push_back(number_row(row));
    counts.rows.back().insert(counts.rows.back().begin(), data.unknowns[j]);
  }
  Table path{"fig4-lasso", {"lambda"}, {}};
  path.columns.insert(path.columns.end(), data.unknowns.begin(), data.unknowns.end());
  for (std::size_t k = 0; k < view.path.lambdas.size(); ++k) {
    std::vector<double> row{view.path.lambdas[k]};
    row.insert(row.end(), view.path.solutions[k].begin(), view.path.solutions[k].end());
    path.rows.push_back(number_row(row));
  }
  return {std::move(counts), std::move(path)};
}

}  // namespace

Findings fig4(const Settings& settings, const Progress& progress) {
  const Prostate data = prostate();
  SelectionRuns selection{.names = data.unknowns, .runs = {}};
  selection.runs.resize(kRuns);
  for_each_trial(
      kRuns, settings.threads, Stretch(progress, 0.0, 0.5, "feature selection by FedRK"), [&](std::size_t k) {
        // The first is the run of `fedrk solve`.
        selection.runs[k] = prostate_selection(data, k == 0 ? settings.seed : trial_seed(settings.seed, k), 1);
      });
  const Stretch lasso(progress, 0.5, 1.0, "the Lasso on pooled rows");
  const LassoView view = view_lasso(data);
  const auto ranking = names_of(features_by(selection.means()), data.unknowns);
  const auto selected = std::span(ranking).first(kPaperFeatures.size());
  const auto largest = lambdas_where_largest(data, selected);
  lasso.done(1, 1);

  Findings findings;
  findings.name = "fig4";
  findings.title = "Feature selection on the prostate data";
  findings.set_up = fmt::format(
      "{} patients, {} features standardised, intercept added; {} clients with even shares in the order of the file, 3 "
      "a "
      "round, tau = tau_g = 20, s = 5, {} rounds, {} runs with different draws",
      data.system.rhs.size(), data.unknowns.size() - 1, data.rows_of_client.size(), kProstateRounds, kRuns);
  findings.judgements = {most_selected_are(selection, kPaperSelection),
                         first_features_agree(ranking, names_of(features_by(view.entered), data.unknowns), 3),
                         largest_coefficients_agree(selected, largest)};
  findings.figures = {selection_figure(selection, view), path_figure(data, view)};
  findings.tables = tables_of(data, selection, view);
  findings.notes = {
      exact_selection_note(data, view),
      "The textbook Lasso that the paper compares with was fitted to 67 training rows. The data here hold "
      "no mark of which rows these are, so this comparison uses all rows for both methods."};
  return findings;
}

}  // namespace fedrk::experiments

// SPDX-License-Identifier: Apache-2.0
#include "report/fit_text.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "report/text.hpp"

namespace fedrk::api {
namespace {

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string headline(const io::FinishedRun& run) {
  const std::string what = run.plan.target.empty() ? run.title : run.plan.target;
  const std::string penalty = run.plan.method.ridge > 0.0 ? fmt::format("ridge {:g}, ", run.plan.method.ridge) : "";
  std::string text =
      fmt::format("{}: {} at {}, {}{}, {}\n", what, counted(run.rows, "row"), counted(run.client_names.size(), "site"),
                  penalty, io::method_of(run), counted(run.result.history.size(), "round"));
  if (run.converged == false) text += fmt::format("NOT CONVERGED: {}\n", io::stop_text(run));
  return text + '\n';
}

// As a statistician reads it: the intercept first, then the columns as the data have them.
std::string estimates(const io::FinishedRun& run, std::string_view elsewhere) {
  constexpr std::size_t kMost = 100;
  const std::size_t shown = std::min(run.unknowns.size(), kMost);
  std::vector<std::vector<std::string>> rows{{"name", "estimate"}};
  if (run.standardized) rows[0].push_back("standardized");
  for (std::size_t j = 0; j < shown; ++j) {
    auto& row = rows.emplace_back(std::vector<std::string>{run.unknowns[j]});
    const bool estimable = io::is_estimable(run, j);
    row.push_back(estimable ? fmt::format("{:.6g}", run.coefficients[j]) : "not estimable");
    if (run.standardized) row.push_back(estimable ? fmt::format("{:.6g}", run.result.x[j]) : "");
  }
  std::string text = table(rows);
  if (shown < run.unknowns.size()) {
    text += fmt::format("  ... and {} more{}\n", run.unknowns.size() - shown, elsewhere);
  }
  if (!run.not_estimable.empty()) {
    text += "  (not estimable: the column is a combination of others)\n";
  }
  return text + '\n';
}

std::string quality(const FitSummary& fit) {
  std::string text;
  if (fit.sigma) {
    text += "residual standard error " + brief(*fit.sigma);
    if (fit.df_residual) text += fmt::format(" on {:.6g} degrees of freedom", *fit.df_residual);
    text += '\n';
  }
  if (fit.r_squared) text += "R-squared " + brief(*fit.r_squared) + '\n';
  return text;
}

std::string cost(const io::FinishedRun& run) {
  return fmt::format("{}, {} sent by the sites, {} to them ({:.2g} s)\n", counted(run.result.history.size(), "round"),
                     bytes_text(static_cast<double>(run.result.bytes_up)),
                     bytes_text(static_cast<double>(run.result.bytes_down)), run.seconds);
}

}  // namespace

std::string fit_text(const io::FinishedRun& run, std::string_view elsewhere) {
  std::string text = headline(run) + estimates(run, elsewhere);
  if (run.fit) text += quality(*run.fit);
  text += cost(run);
  for (const std::string& note : run.result.notes) text += wrapped(note, 96, 0);
  return text;
}

}  // namespace fedrk::api

// SPDX-License-Identifier: Apache-2.0
#include "report/solve_text.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "report/text.hpp"

namespace fedrk::api {
namespace {

std::string method_text(const io::FinishedRun& run) {
  std::string text;
  for (const std::string& note : run.result.notes) text += wrapped(note, 96, 0);
  return text;
}

std::string solution_table(const io::FinishedRun& run) {
  constexpr std::size_t kMost = 20;
  std::vector<std::size_t> order(run.unknowns.size());
  if (!run.selection_counts.empty()) {
    order = run.selection_order;
  } else {
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (order.size() > kMost) {
      std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t j) { return std::abs(run.result.x[j]); });
    }
  }
  std::vector<std::vector<std::string>> rows{{"name"}};
  if (!run.selection_counts.empty()) rows[0].insert(rows[0].end(), {"selected", "of rounds"});
  rows[0].push_back("coefficient");
  if (run.standardized) rows[0].push_back("standardized");
  const auto rounds = static_cast<double>(std::max<std::size_t>(1, run.result.history.size() - run.refit_rounds));
  for (const std::size_t j : std::span(order).first(std::min(kMost, order.size()))) {
    auto& row = rows.emplace_back(std::vector<std::string>{run.unknowns[j]});
    if (!run.selection_counts.empty()) {
      row.push_back(std::to_string(run.selection_counts[j]));
      row.push_back(fmt::format("{:.1f} %", 100.0 * static_cast<double>(run.selection_counts[j]) / rounds));
    }
    row.push_back(brief(run.coefficients[j]));
    if (run.standardized) row.push_back(brief(run.result.x[j]));
  }
  std::string text = table(rows);
  if (!run.selection_counts.empty() && run.refit_rounds == 0) {
    text += "  (the coefficients are those of the last round)\n";
  }
  if (order.size() > kMost) text += fmt::format("  ... and {} more\n", order.size() - kMost);
  return text;
}

}  // namespace

std::string solve_text(const io::FinishedRun& run) {
  std::string text = fmt::format("{}: {}{} ({:.2g} s)\n", run.title, run.converged == false ? "not converged: " : "",
                                 io::stop_text(run), run.seconds);
  text += fmt::format("{} rows, {} unknowns, {} clients, by {}; {} sent by the clients, {} to them\n", run.rows,
                      run.unknowns.size(), run.client_names.size(), io::method_of(run),
                      bytes_text(static_cast<double>(run.result.bytes_up)),
                      bytes_text(static_cast<double>(run.result.bytes_down)));
  if (run.result.relative_residual) text += fmt::format("relative residual {}", brief(*run.result.relative_residual));
  if (!run.errors.empty()) {
    text += fmt::format("{}relative error {}", run.result.relative_residual ? ", " : "", brief(run.errors.back()));
  }
  return text + "\n" + method_text(run) + "\n" + solution_table(run);
}

}  // namespace fedrk::api

// SPDX-License-Identifier: Apache-2.0
#include "report/run_text.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "report/text.hpp"

namespace fedrk::api {
namespace {

// What the method says of its run, a paragraph each.
std::string notes_text(const io::FinishedRun& run) {
  std::string text;
  for (const std::string& note : run.result.notes) text += wrapped(note, 96, 0);
  return text;
}

std::string solution_table(const io::FinishedRun& run) {
  constexpr std::size_t kMax = 20;
  std::vector<std::size_t> order(run.unknowns.size());
  if (!run.selection_counts.empty()) {
    order = run.selection_order;
  } else {
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (order.size() > kMax) {
      std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t j) { return std::abs(run.result.x[j]); });
    }
  }
  std::vector<std::vector<std::string>> rows{{"name"}};
  if (!run.selection_counts.empty()) rows[0].insert(rows[0].end(), {"selected", "of rounds"});
  rows[0].push_back("coefficient");
  if (run.standardized) rows[0].push_back("standardized");
  const auto rounds = static_cast<double>(std::max<std::size_t>(1, run.result.history.size() - run.refit_rounds));
  for (const std::size_t j : std::span(order).first(std::min(kMax, order.size()))) {
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
  if (order.size() > kMax) text += fmt::format("  ... and {} more\n", order.size() - kMax);
  return text;
}

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
  constexpr std::size_t kMax = 100;
  const std::size_t shown = std::min(run.unknowns.size(), kMax);
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

// Contradictory equations and a direction that converges very slowly look alike to a server, so both are named.
std::string hovering_text(const Horizon& horizon, const io::Plan& plan) {
  std::string text = fmt::format(
      "The relative residual has hovered around {} since round {}. Most often the equations contradict each other "
      "(noisy "
      "data): the iterates then circle the least-squares solution at a distance, the horizon.",
      brief(horizon.level), horizon.since_round);
  if (horizon.level >= 1.0) text += " It is as far off as x = 0 would be.";
  if (plan.run.sparsity > 0) text += " Keeping few entries adds to it; more may be needed (--keep).";
  if (plan.run.sparsity == 0) text += " fedrk fit finds the least-squares solution itself.";
  text +=
      plan.run.noise_columns > 0
          ? " To come closer with this method, try another number of noise columns (--noise-columns) or fewer local "
            "steps."
          : " To come closer with this method, add noise columns (--noise-columns, up to about three times the "
            "unknowns), take fewer local steps (--local-steps) or the mean of the iterates (--average tail).";
  if (!plan.standardize) {
    text += " Columns of very different size look the same, as their part converges slowly: --standardize mends that.";
  }
  return text + " fedrk inspect tells whether the equations contradict each other.";
}

std::string falling_text(const io::Plan& plan) {
  std::string text = "The residual was still falling: more rounds (--rounds) bring it lower.";
  if (!plan.standardize) text += " Columns of very different size make it slow: --standardize mends that.";
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
  return text + "\n" + notes_text(run) + "\n" + solution_table(run);
}

std::string fit_text(const io::FinishedRun& run, std::string_view elsewhere) {
  std::string text = headline(run) + estimates(run, elsewhere);
  if (run.fit) text += quality(*run.fit);
  return text + cost(run) + notes_text(run);
}

io::Convergence convergence_of(const Horizon& horizon, const io::Plan& plan, bool ended_early) {
  io::Convergence convergence{
      .progress = "unknown", .level = horizon.level, .since_round = horizon.since_round, .message = ""};
  switch (horizon.progress) {
    case Progress::Unknown:
      break;
    case Progress::Falling:
      convergence.progress = "falling";
      if (ended_early) convergence.message = falling_text(plan);
      break;
    case Progress::AtRounding:
      convergence.progress = "at_rounding";
      convergence.message = fmt::format("Solved to rounding: the relative residual is {}.", brief(horizon.level));
      break;
    case Progress::AtRest:
      convergence.progress = "at_rest";
      convergence.message = fmt::format(
          "x has come to rest with a relative residual of {}: the equations contradict each other (noisy data), and "
          "more "
          "rounds change nothing.",
          brief(horizon.level));
      break;
    case Progress::Hovering:
      convergence.progress = "hovering";
      convergence.message = hovering_text(horizon, plan);
      break;
  }
  return convergence;
}

}  // namespace fedrk::api

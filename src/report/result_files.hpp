// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a run leaves: result.json, solution.csv, history.csv. docs/formats.md describes each key and column.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "fedrk/run.hpp"
#include "methods/fit_options.hpp"
#include "plan/federation.hpp"
#include "plan/plan.hpp"

namespace fedrk::io {

/// What became of the residual.
struct Convergence {
  std::string progress = "unknown";  // or "falling", "at_rounding", "hovering"
  double level = 0.0;
  std::size_t since_round = 0;
  std::string message;  // for a person; empty when there is nothing to say
};

/// A finished run with all that its files tell.
struct FinishedRun {
  std::string title;
  Plan plan;  // as it was written, and as it was decided
  ResolvedPlan resolved;
  RunResult result;
  std::string method;             // the one that ran: "gram", "cg", ...; empty: the one that the plan names
  std::optional<bool> converged;  // whether the answer meets its criterion over all clients; unset: not measured
  std::optional<FitSummary> fit;  // of a fit
  std::vector<std::string> not_estimable{};  // unknowns that are combinations of others: they have no coefficient
  Convergence convergence;
  double seconds = 0.0;

  std::vector<std::string> client_names;
  std::vector<std::size_t> client_rows;
  std::vector<std::string> unknowns;
  std::vector<double> coefficients;  // in the units of the data
  std::size_t rows = 0;
  bool sparse = false;
  bool standardized = false;
  std::vector<std::uint64_t> selection_counts;  // empty without thresholding
  std::vector<std::size_t> selection_order;     // unknowns, most selected first
  std::size_t refit_rounds = 0;                 // the last ones of the history
  std::vector<double> errors;                   // after each round; empty where the truth is not known
  std::vector<std::string> warnings;
};

/// "finished:completed", "finished:unconverged", "finished:stopped" or "finished:failed"; "round_limit", and the same
/// for a person: "all 2000 rounds were made".
std::string status_of(const FinishedRun& run);
std::string stop_reason_of(Termination termination);
std::string stop_text(const FinishedRun& run);

/// The method that ran, by name.
std::string method_of(const FinishedRun& run);
/// False for a column that is a combination of others, whose coefficient is no number.
bool is_estimable(const FinishedRun& run, std::size_t unknown);

/// One JSON document, pretty-printed. Holds no number that is not finite.
std::string result_json(const FinishedRun& run);
std::string solution_csv(const FinishedRun& run);
std::string history_csv(const FinishedRun& run);

/// Writes the three, and the plan, into `folder`.
Result<void> write_run_files(const std::filesystem::path& folder, const FinishedRun& run);

}  // namespace fedrk::io

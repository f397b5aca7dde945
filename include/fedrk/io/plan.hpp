// SPDX-License-Identifier: Apache-2.0
#pragma once

// Everything that decides what a run computes: the data and the method. A plan comes from a TOML file, from flags, or
// from both (a flag wins), and a run keeps its complete plan beside its result. plan_options.hpp lists the entries.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fedrk/base/result.hpp"
#include "fedrk/federated/client.hpp"
#include "fedrk/federated/federated_run.hpp"
#include "fedrk/methods/method_options.hpp"
#include "fedrk/problem/storage.hpp"

namespace fedrk::io {

/// What is asked: the x of equations that have one, or a regression on data, which nobody expects to hold exactly.
enum class Goal { Solve, Fit };

/// What becomes of the columns before the first round, from sums over all clients.
enum class ColumnScaling {
  AsTheyAre,
  Standardized,  // centred and divided by their spread
  Framed,        // as they are; the sums of a fit centre and scale them as they go (problem/frame.hpp)
  Equilibrated,  // scaled by powers of two, where their lengths differ much
};

struct Plan {
  Goal goal = Goal::Solve;          // `set_goal` changes it
  std::vector<std::string> data;    // tables with a target column, one a client, or one to be split
  std::vector<std::string> matrix;  // or matrices, each with its right-hand side
  std::vector<std::string> rhs;
  std::string target;
  std::vector<std::string> ignore;
  std::vector<std::string> powers;       // "COLUMN:K": the powers 2 to K of a column as further columns (powers.hpp)
  std::size_t clients = 0;               // split the one file over so many; 0: one client a file
  std::string partition = "contiguous";  // contiguous, shuffled, by:COLUMN
  bool standardize = false;              // in a fit: a penalty is on standardised columns
  bool intercept = false;
  Storage storage = Storage::Float64;  // of every client's rows
  std::string start;                   // file with x^(0); empty: zero
  std::string truth;                   // file with x*, for those who know it; empty: nobody does

  MethodOptions method;
  StepOptions steps;                      // of every client
  std::optional<std::uint32_t> patience;  // unset: 100 rounds where a tolerance is asked for, else endless
  std::optional<double> tolerance;        // unset: kUsualTolerance; 0: to rounding
  RunOptions run;                         // its patience and tolerance are set by `run_options`
  bool usual_sampling = true;             // the plan says nothing of steps.sampling: as the method has it
  bool usual_local_steps = true;          // nor of run.local_budget
  bool usual_rounds = true;               // nor of run.rounds
  bool usual_intercept = true;            // nor of the intercept: a fit has one

  // What the choice between a Gram sum and conjugate gradients counts with.
  double round_trip = 50.0;  // milliseconds
  double bandwidth = 100.0;  // Mbit/s

  static constexpr double kUsualTolerance = 1e-8;
  static constexpr double kUsualFloatTolerance = 1e-6;  // of rows that were rounded to seven digits

  /// Also settles the intercept where the plan says nothing of it.
  void set_goal(Goal goal);

  ColumnScaling column_scaling() const;

  /// The column of `partition = by:COLUMN`, or nothing.
  std::string group_by() const;

  /// Writes what the plan leaves to the method into `steps` and `run`; what concerns the clients' rows only where these
  /// are known.
  void settle(std::span<const ClientSummary> roster = {});

  RunOptions run_options() const;

  LinkSpeed link() const { return {round_trip / 1e3, bandwidth * 1e6 / 8.0}; }
};

/// What is wrong with a plan before any file is read, if anything.
Result<void> check(const Plan& plan);
/// The same of all that does not concern files.
Result<void> check_method(const Plan& plan);

/// Reads a plan file over `plan`. Relative paths in it are relative to the file's folder.
Result<void> read_plan(const std::filesystem::path& path, Plan& plan);

/// The complete plan with its defaults, for a file in `folder`: paths are written relative to that.
std::string plan_text(const Plan& plan, const std::filesystem::path& folder);

}  // namespace fedrk::io

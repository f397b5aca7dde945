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

#include "base/result.hpp"
#include "fedrk/run.hpp"
#include "fedrk/site.hpp"
#include "methods/method_options.hpp"
#include "problem/storage.hpp"

namespace fedrk::io {

/// Which of the two jobs: equations that have a solution, or a regression on data, which nobody expects to hold
/// exactly.
enum class Job { Solve, Fit };

/// What becomes of the columns before the first round, from sums over all clients.
enum class ColumnScaling {
  AsTheyAre,
  Standardized,  // centred and divided by their spread
  Framed,        // as they are; the sums of a fit centre and scale them as they go (problem/frame.hpp)
  Equilibrated,  // scaled by powers of two, where their lengths differ much
};

/// As it was written: what it leaves open is unset, and `resolve` decides it.
struct Plan {
  Job job = Job::Solve;             // `set_job` changes it
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
  StepOptions steps;                        // of every client, apart from the order of rows
  std::optional<RowSampling> row_sampling;  // unset: as the method has it, as the following two
  std::optional<StepBudget> local_steps;
  std::optional<std::uint32_t> rounds;
  std::optional<std::uint32_t> patience;  // unset: 100 rounds where a tolerance is asked for, else endless
  std::optional<double> tolerance;        // unset: kDefaultTolerance; 0: to rounding
  bool default_intercept = true;          // the plan says nothing of the intercept: a fit has one
  RunOptions run;                         // all else of it

  // What the choice between a Gram sum and conjugate gradients counts with.
  double round_trip = 50.0;  // milliseconds
  double bandwidth = 100.0;  // Mbit/s

  static constexpr double kDefaultTolerance = 1e-8;
  static constexpr double kDefaultFloatTolerance = 1e-6;  // of rows that were rounded to seven digits

  /// Also decides on the intercept where the plan says nothing of it.
  void set_job(Job wanted);

  /// The column of `partition = by:COLUMN`, or nothing.
  std::string group_by() const;

  LinkSpeed link() const { return {round_trip / 1e3, bandwidth * 1e6 / 8.0}; }
};

/// A plan as it was decided.
struct ResolvedPlan {
  Goal goal;
  bool refit = false;  // what was selected is fitted anew at the end
  ColumnScaling columns = ColumnScaling::AsTheyAre;
  StepOptions steps;  // of every client
  RunOptions run;     // complete
};

/// The one place where a plan's open entries are decided. Before the clients are known local steps and rounds are those
/// of RunOptions; nothing else depends on the clients.
ResolvedPlan resolve(const Plan& plan, std::span<const ClientSummary> roster = {});

/// What is wrong with a plan before any file is read, if anything.
Result<void> check(const Plan& plan);
/// The same of all that does not concern files.
Result<void> check_method(const Plan& plan);

/// A sentence that names what is set and has no effect with the plan's method; empty where there is no such entry.
std::string without_effect(const Plan& plan);

/// Reads a plan file over `plan`. Relative paths in it are relative to the file's folder.
Result<void> read_plan(const std::filesystem::path& path, Plan& plan);

/// The complete plan with its defaults, for a file in `folder`: paths are written relative to that.
std::string plan_text(const Plan& plan, const std::filesystem::path& folder);

}  // namespace fedrk::io

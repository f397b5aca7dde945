// SPDX-License-Identifier: Apache-2.0
#pragma once

// One problem by several methods, each with the clients that suit it.

#include <cstddef>
#include <string>
#include <vector>

#include "experiments/judgements_fig1.hpp"
#include "experiments/support.hpp"
#include "fedrk/in_process_engine.hpp"
#include "methods/method_options.hpp"

namespace fedrk::experiments {

class BeyondRuns {
 public:
  /// `runs`: how many are to come, for the progress.
  BeyondRuns(const LinearSystem& system, std::vector<double> truth, std::size_t clients, const Settings& settings,
             const Progress& progress, std::size_t runs);

  /// The relative error after every round. Rows are drawn by squared norm in FedRK, else shuffled;
  /// residuals are reported where the method wants to see them.
  ErrorCurve by_options(std::string label, const MethodOptions& options, const RunOptions& run);

  /// By another method, on rows drawn by squared norm.
  ErrorCurve by_method(std::string label, Method& method, const RunOptions& run);

  Engine& engine() { return by_norm_; }

 private:
  ErrorCurve run(std::string label, Engine& engine, Method& method, RunOptions run);

  std::vector<double> truth_;
  InProcessEngine by_norm_, shuffled_;
  std::uint64_t seed_;
  const Progress& progress_;
  std::size_t made_ = 0, runs_;
};

/// Lines that begin at error 1 before the first round, as x = 0 then.
std::vector<io::Series> series_of(std::span<const ErrorCurve> curves);

/// The method, and the first round after which its error was at most `level`, or an empty cell.
Table rounds_table(std::string name, std::span<const ErrorCurve> curves, double level);

}  // namespace fedrk::experiments

// SPDX-License-Identifier: Apache-2.0
#pragma once

// One problem by several methods: what errors are measured by, every method in turn, and notes on the outcome.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fedrk/stop_signal.hpp"
#include "plan/federation.hpp"
#include "report/comparison_files.hpp"

namespace fedrk::api {

/// Told which method runs, and its rounds.
class CompareObserver : public RoundObserver {
 public:
  /// Before the first method.
  virtual void prepare(const std::string& what) = 0;
  virtual void begin(std::size_t index, std::size_t methods, std::uint32_t rounds, const std::string& label) = 0;
};

struct CompareOptions {
  std::string title;
  std::vector<std::string> methods;  // empty: all
  double target = 1e-6;
  SortBy sort = SortBy::Rounds;
  std::size_t threads = 0;
  double soft = 1.0;  // the weight of soft thresholding
  const StopSignal* stop = nullptr;
  CompareObserver* observer = nullptr;
};

/// The plan for a comparison: the same data, rows and rounds for all methods, which have their own settings besides.
io::Plan comparison_plan(io::Plan plan);

/// An error where a method has no such name. A stop ends it with the methods that are complete.
Result<io::FinishedComparison> compare_methods(const CompareOptions& wanted, const io::Plan& plan,
                                               io::Federation federation);

/// A comparison as a person reads it: the table, and below it what each method is.
std::string comparison_text(const io::FinishedComparison& comparison);

}  // namespace fedrk::api

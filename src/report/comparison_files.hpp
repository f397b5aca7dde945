// SPDX-License-Identifier: Apache-2.0
#pragma once

// A finished comparison as files: comparison.json, comparison.csv, the plot of errors against rounds. docs/formats.md
// describes keys and columns.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/comparison.hpp"
#include "base/result.hpp"

namespace fedrk::io {

enum class Reference { Truth, DirectSolution, None };

/// A method that was asked for and not run.
struct LeftOut {
  std::string name, why;
};

struct FinishedComparison {
  std::string title;
  std::size_t rows = 0, clients = 0;
  std::vector<std::string> unknowns;
  std::uint64_t seed = 1;
  double target = 1e-6;
  Reference reference = Reference::Truth;
  std::vector<std::size_t> true_support;  // empty: not known, or everything
  std::vector<Outcome> outcomes;          // sorted
  std::vector<LeftOut> left_out;
  std::vector<std::string> notes;  // what a reader should know
  bool interrupted = false;
};

/// "the error to the known solution" and the like.
std::string reference_text(Reference reference);

/// How many entries of the true support the outcome holds.
std::size_t true_entries(const FinishedComparison& comparison, const Outcome& outcome);

/// One JSON document, pretty-printed. Holds no number that is not finite.
std::string comparison_json(const FinishedComparison& comparison);
std::string comparison_csv(const FinishedComparison& comparison);

/// Writes comparison.json and .csv, and .svg where errors are known; where not, none of an earlier run stays.
Result<void> write_comparison_files(const std::filesystem::path& folder, const FinishedComparison& comparison);

}  // namespace fedrk::io

// SPDX-License-Identifier: Apache-2.0
#pragma once

// What an experiment found, as files in a folder: FIGURE.svg, TABLE.csv, and NAME.json with the
// verdicts, from which a later run that shares the folder shows them again.

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "experiments/experiment.hpp"

namespace fedrk::experiments {

/// An experiment that has ended, in this run or in an earlier one.
struct Finished {
  Findings findings;
  Settings settings{};
  double seconds = 0.0;
  std::string version{};  // of fedrk
  bool earlier = false;   // read from its files: figures have a name and a caption, but no points
};

/// The version of this program.
std::string_view version();

/// Writes the files; those of the same names are replaced.
Result<void> write_findings(const std::filesystem::path& folder, const Finished& finished);

/// What NAME.json in the folder tells; none where it is missing or is something else.
std::optional<Finished> read_findings(const std::filesystem::path& folder, std::string_view name);

/// One document with the verdicts of all, for programs.
std::string judgements_json(std::span<const Finished> all, const std::filesystem::path& page);

}  // namespace fedrk::experiments

// SPDX-License-Identifier: Apache-2.0
#pragma once

// A run as a report shows it: what result.json and history.csv say, described in docs/formats.md. It comes from a run
// that has just ended, or from the files of an older one.
//
// A report has to come out of runs that failed early and of files that later versions wrote, so keys may be missing:
// the accessors below give nothing for what is absent or of another type.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "report/json_text.hpp"
#include "report/result_files.hpp"

namespace fedrk::io {

struct SavedRound {
  double round = 0.0;  // from 1
  std::optional<double> residual;
  std::optional<double> movement;
  std::optional<double> error;
};

struct SavedRun {
  std::string name;  // its title, or else the name of its folder
  Json result;
  std::vector<SavedRound> history;  // empty where there is no history.csv
};

SavedRun saved_run_of(const FinishedRun& run);
Result<SavedRun> read_saved_run(const std::filesystem::path& folder);

/// What stands under `key`; null when that is nothing.
const Json& at(const Json& object, const char* key);

std::optional<double> number_at(const Json& object, const char* key);
std::optional<std::uint64_t> count_at(const Json& object, const char* key);
std::string text_at(const Json& object, const char* key);

/// What result.json says, before it is text.
Json result_document(const FinishedRun& run);

}  // namespace fedrk::io

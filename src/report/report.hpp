// SPDX-License-Identifier: Apache-2.0
#pragma once

// A run as one HTML file that needs nothing else: the coefficients, which entries were selected, who took part, and,
// folded, how it was computed, how it converged and why it stopped. The page is src/report/report.mustache.

#include <filesystem>
#include <string>

#include "base/result.hpp"
#include "report/result_files.hpp"

namespace fedrk::io {

/// Writes the page of a run that has just ended to folder/report.html, and says where.
Result<std::filesystem::path> write_report(const std::filesystem::path& folder, const FinishedRun& run);

/// The page for the run in `folder`, from its result.json and history.csv.
Result<std::string> render_report(const std::filesystem::path& folder);

/// Writes it to folder/report.html, or to `target`, and says where.
Result<std::filesystem::path> write_report(const std::filesystem::path& folder, std::filesystem::path target = {});

}  // namespace fedrk::io

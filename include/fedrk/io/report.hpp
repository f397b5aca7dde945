// SPDX-License-Identifier: Apache-2.0
#pragma once

// A run as one HTML file that needs nothing else: what was solved, by whom, how it converged, which entries were
// selected, the coefficients, who took part, and why it stopped. It is made from result.json and history.csv alone.

#include <filesystem>
#include <string>

#include "fedrk/base/result.hpp"

namespace fedrk::io {

/// The page for the run in `folder`.
Result<std::string> render_report(const std::filesystem::path& folder);

/// Writes it to folder/report.html, or to `target`, and says where.
Result<std::filesystem::path> write_report(const std::filesystem::path& folder, std::filesystem::path target = {});

}  // namespace fedrk::io

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "fedrk/io/result_files.hpp"
#include "output.hpp"

namespace fedrk::app {

/// Writes the files of the run, and tells where its report is.
Result<std::filesystem::path> write_files(const io::FinishedRun& run, const std::filesystem::path& folder);

/// Prints what came out, and where the report is if there is one, and returns the exit code.
int present(const io::FinishedRun& run, OutputFormat format, const std::filesystem::path& report = {});

}  // namespace fedrk::app

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fedrk/io/result_files.hpp"
#include "output.hpp"

namespace fedrk::app {

/// Writes the files of the run into the folder `out` (empty: none), prints what came out, and returns the exit code.
int present(const io::FinishedRun& run, const std::string& out, OutputFormat format);

}  // namespace fedrk::app

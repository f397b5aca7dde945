// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fedrk/io/result_files.hpp"

namespace fedrk::app {

/// A fit for a person: what was fitted, the table of estimates, how well they fit, what it cost.
std::string fit_text(const io::FinishedRun& run);

}  // namespace fedrk::app

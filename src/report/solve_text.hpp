// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/result_files.hpp"

namespace fedrk::api {

/// A solved system for a person: how it ended, what it cost, the largest or most selected unknowns.
std::string solve_text(const io::FinishedRun& run);

}  // namespace fedrk::api

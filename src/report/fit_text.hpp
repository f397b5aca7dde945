// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "report/result_files.hpp"

namespace fedrk::api {

/// A fit for a person: what was fitted, the table of estimates, how well they fit, what it cost. Of very many estimates
/// only some are shown; `elsewhere` then says where the others are.
std::string fit_text(const io::FinishedRun& run, std::string_view elsewhere = "");

}  // namespace fedrk::api

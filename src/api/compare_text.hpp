// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/comparison_files.hpp"

namespace fedrk::api {

/// A comparison as a person reads it: the table, and below it what each method is.
std::string comparison_text(const io::FinishedComparison& comparison);

}  // namespace fedrk::api

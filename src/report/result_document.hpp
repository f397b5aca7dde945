// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/json_text.hpp"
#include "report/result_files.hpp"

namespace fedrk::io {

/// What result.json says, before it is text.
Json result_document(const FinishedRun& run);

}  // namespace fedrk::io

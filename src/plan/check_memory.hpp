// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "base/result.hpp"
#include "plan/plan.hpp"

namespace fedrk::io {

/// A sparse file of a few bytes can name a column beyond any memory.
Result<void> check_memory(const Plan& plan, std::size_t unknowns, std::size_t clients);

}  // namespace fedrk::io

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "plan/plan.hpp"

namespace fedrk::io {

/// Bytes that can still be had without swapping, as far as the system tells: what is free on the machine, or less where
/// a container sets a limit.
std::optional<double> available_memory();

/// What to tell who asks for a dense matrix that does not fit, with the scale of both sides that would; empty where it
/// fits.
std::string memory_complaint(std::size_t rows, std::size_t cols, double available);

/// A sparse file of a few bytes can name a column beyond any memory.
Result<void> check_memory(const Plan& plan, std::size_t unknowns, std::size_t clients);

}  // namespace fedrk::io

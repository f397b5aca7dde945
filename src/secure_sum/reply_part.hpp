// SPDX-License-Identifier: Apache-2.0
#pragma once

// A client's reply as a part of a sum, and the sum as the reply that the server's method takes: the values on the grid
// of the round, every other number wide. Values that are pairs are wide too, one for each pair: their sum is exact, and
// comes back as the nearest pair.

#include <cstddef>
#include <optional>

#include "fedrk/engine.hpp"
#include "secure_sum/part.hpp"

namespace fedrk::masking {

/// What the answers to a task hold, with so many values (reply_length).
PartLayout layout_of(const LocalTask& task, std::size_t values, const Grid& grid);

/// Nothing where its numbers do not fit. REQUIRES: the reply answers the task.
std::optional<Words> part_of(const LocalTask& task, const LocalReply& reply, const Grid& grid, std::size_t parties);

/// REQUIRES: a sum of the task's layout.
LocalReply reply_from(const LocalTask& task, SumOfParts sum);

}  // namespace fedrk::masking

// SPDX-License-Identifier: Apache-2.0
#pragma once

// A client's reply as a part of a sum, and the sum as the reply that the server's method takes: the values on the grid
// of the round, every other number wide.

#include <cstddef>

#include "fedrk/federated/engine.hpp"
#include "fedrk/masking/part.hpp"

namespace fedrk::masking {

/// What the answers to a task hold, known from the task alone. REQUIRES: work whose answer has a known length.
PartLayout layout_of(const LocalTask& task, std::size_t unknowns, const Grid& grid);

/// REQUIRES: the reply answers the task.
Words part_of(const LocalTask& task, const LocalReply& reply, const Grid& grid, std::size_t parties);

/// REQUIRES: a sum of the task's layout.
LocalReply reply_from(const LocalTask& task, SumOfParts sum);

}  // namespace fedrk::masking

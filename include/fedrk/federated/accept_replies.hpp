// SPDX-License-Identifier: Apache-2.0
#pragma once

// What an engine brings back is checked once, here, before any arithmetic: a client may lie, a network may repeat or
// reorder.

#include <cstddef>
#include <span>

#include "fedrk/federated/engine.hpp"

namespace fedrk {

/// Puts the replies in client order. Replies that nobody asked for and repeated ones are dropped; one that cannot be
/// used (wrong length, not finite, a negative squared residual) becomes an absence with its reason. Of sums the one sum
/// is looked at, and where it cannot be used everyone in it is absent. REQUIRES: `participants` ascend.
void accept_replies(const LocalTask& task, std::size_t unknowns, std::span<const ClientId> participants,
                    RoundReplies& round);

}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#pragma once

// What an engine brings back is checked once, here, before any arithmetic: a client may lie, a network may repeat or
// reorder.

#include <cstddef>
#include <span>
#include <string>

#include "fedrk/engine.hpp"

namespace fedrk {

/// Puts the replies in client order. Replies that nobody asked for and repeated ones are dropped; one that cannot be
/// used (wrong length, not finite, a negative squared residual) becomes an absence with its reason. Of sums the one sum
/// is looked at, and where it cannot be used everyone in it is absent. REQUIRES: `participants` ascend.
void accept_replies(const LocalTask& task, std::size_t unknowns, std::span<const ClientId> participants,
                    RoundReplies& round);

/// What is wrong with one client's reply; empty where nothing is.
std::string fault_of(const LocalTask& task, std::size_t unknowns, const LocalReply& reply);

/// For engines that add up elsewhere: accepts single replies as parts of a sum. One that would spoil it is left out.
void accept_parts(const LocalTask& task, std::size_t dimension, std::span<const ClientId> participants,
                  RoundReplies& round);

/// For engines: accepts single replies and leaves their sum, added up in client order, so that the bits do not depend
/// on who was ready first. A part that would spoil the sum is left out. `dimension` is the engine's.
void keep_only_the_sum(const LocalTask& task, std::size_t dimension, std::span<const ClientId> participants,
                       RoundReplies& round);

}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "fedrk/federated/engine.hpp"

namespace fedrk::store {

/// A hash of all that is asked: the work, the participants, every bit of x. Two tasks with the same one are the same.
std::uint64_t fingerprint(const LocalTask& task, std::span<const ClientId> participants);

}  // namespace fedrk::store

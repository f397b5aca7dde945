// SPDX-License-Identifier: Apache-2.0
#pragma once

// Before the first round: all clients must have the same columns, and where the plan wants a common scale, sums over
// everyone's rows make it (problem/standardize.hpp). What was agreed on is kept, so that a client that comes back, or a
// server that is started again, goes on with the same rows to the bit.

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "plan/plan.hpp"
#include "transport/protocol/federation_server.hpp"
#include "transport/protocol/messages.hpp"
#include "transport/protocol/synchronized_protocol.hpp"

namespace fedrk::network {

/// Waits for the clients and agrees with them.
Result<wire::StoredFederation> agree(SynchronizedProtocol& protocol, const FederationOptions& options);

/// What a run store holds of it; nothing where that is damaged.
std::optional<wire::StoredFederation> federation_from(const std::string& stored);

/// Tells everyone who takes part in masked sums.
void distribute_keys(const wire::StoredFederation& federation, const std::string& run, SynchronizedProtocol& protocol);

/// Tells the protocol what everyone who joins must be told and must be.
void fix_preparation(const wire::StoredFederation& federation, SynchronizedProtocol& protocol);

/// The same for those who run the rounds.
Result<Gathered> gathered_from(const wire::StoredFederation& federation, const io::Plan& plan);

}  // namespace fedrk::network

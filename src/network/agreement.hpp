// SPDX-License-Identifier: Apache-2.0
#pragma once

// Before the first round: all clients must have the same columns, and where the plan wants a common scale, sums over
// everyone's rows make it (problem/standardize.hpp). What was agreed on is kept, so that a client that comes back, or a
// server that is started again, goes on with the same rows to the bit.

#include <string>
#include <vector>

#include "fedrk/base/result.hpp"
#include "fedrk/io/plan.hpp"
#include "fedrk/network/federation_server.hpp"
#include "fedrk/v1/stored_federation.pb.h"
#include "network/switchboard.hpp"

namespace fedrk::network {

/// Waits for the clients and agrees with them.
Result<v1::StoredFederation> agree(Switchboard& switchboard, const FederationOptions& options);

/// Tells everyone who takes part in masked sums.
void introduce(const v1::StoredFederation& federation, const std::string& run, Switchboard& switchboard);

/// Tells the switchboard what everyone who joins must be told and must be.
void fix_preparation(const v1::StoredFederation& federation, Switchboard& switchboard);

/// The same for those who run the rounds.
Result<Gathered> gathered_from(const v1::StoredFederation& federation, const io::Plan& plan);

}  // namespace fedrk::network

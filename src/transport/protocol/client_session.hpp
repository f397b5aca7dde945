// SPDX-License-Identifier: Apache-2.0
#pragma once

// One connection of a client from hello to its end. Three threads: one reads, one beats the heart, and the caller's own
// works, so however long the work takes, the server hears that the client is alive. Work that is short is done by the
// reader itself.

#include <optional>
#include <string>

#include "transport/protocol/client_protocol.hpp"
#include "transport/protocol/messages.hpp"
#include "transport/protocol/server_link.hpp"

namespace fedrk::network {

struct SessionOutcome {
  LinkEnd link;
  std::optional<wire::End> end;  // what the server said last, if it did
  bool joined = false;           // it was welcomed
};

/// Runs until the connection ends; `max_length` bounds the numbers of a message, `largest` its other bytes.
SessionOutcome run_session(ServerLink& link, ClientProtocol& participant, std::size_t max_length,
                           std::size_t largest = 4 << 20);

}  // namespace fedrk::network

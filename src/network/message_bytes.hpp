// SPDX-License-Identifier: Apache-2.0
#pragma once

// Messages as the bytes that travel: one binary WebSocket message each.

#include <cstddef>
#include <string>

#include "fedrk/v1/federation.pb.h"

namespace fedrk::wire {

std::string bytes_of(const v1::ServerMessage& message);
std::string bytes_of(const v1::ClientMessage& message);

/// False: the bytes are no message.
bool read_message(const void* bytes, std::size_t size, v1::ServerMessage& message);
bool read_message(const void* bytes, std::size_t size, v1::ClientMessage& message);

}  // namespace fedrk::wire

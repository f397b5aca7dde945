// SPDX-License-Identifier: Apache-2.0
#pragma once

// Words that others chose, and words that gRPC chose, before a person reads them.

#include <cstddef>
#include <string>
#include <string_view>

namespace fedrk::network {

/// What a peer said, for a log, a history or a terminal: short, and without what could steer it.
std::string tamed(std::string words, std::size_t most = 200);

/// "127.0.0.1:4711" for gRPC's "ipv4:127.0.0.1:4711", "[::1]:4711" for "ipv6:%5B::1%5D:4711".
std::string plain_address(std::string_view peer);

/// Why a handshake failed, from the line that gRPC logs of it; empty where the line is about something else.
std::string handshake_words(std::string_view line);

}  // namespace fedrk::network

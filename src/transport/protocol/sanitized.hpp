// SPDX-License-Identifier: Apache-2.0
#pragma once

// Words that others chose, before a person reads them.

#include <cstddef>
#include <string>
#include <string_view>

namespace fedrk::network {

/// What a peer said, for a log, a history or a terminal: short, and without what could steer it.
std::string sanitized(std::string reason, std::size_t most = 200);

/// Why a handshake failed, from OpenSSL's words for it.
std::string handshake_reason(std::string_view reason);

}  // namespace fedrk::network

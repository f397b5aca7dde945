// SPDX-License-Identifier: Apache-2.0
#pragma once

// Proof that a text comes from the holder of a certificate, for those who do not talk to it themselves: clients know of
// each other only what the server passes on.

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "pki/moment.hpp"

namespace fedrk::security {

/// With a private key (PEM); SHA-256 and the key's own kind of signature.
Result<std::string> sign(std::string_view key, std::string_view text);

/// Whether the holder of the certificate signed the text.
Result<bool> is_signed(std::string_view certificate, std::string_view text, std::string_view signature);

/// An error unless this is a certificate of the client of that name: from the authority, for clients, in its time.
Result<void> believe_client(std::string_view certificate, std::string_view ca, const std::string& name, Moment now);

}  // namespace fedrk::security

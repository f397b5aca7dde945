// SPDX-License-Identifier: Apache-2.0
#pragma once

// The keys that clients show each other through a server that they need not believe: each is signed with the key of its
// client's certificate.

#include <optional>
#include <string>

#include "base/result.hpp"
#include "pki/moment.hpp"
#include "pki/own_credentials.hpp"
#include "secure_sum/masker.hpp"
#include "transport/protocol/messages.hpp"

namespace fedrk::network {

/// A client's own, for one run. Without credentials it is not signed.
Result<wire::MaskKey> mask_key_message(const std::string& run, const std::string& name, const masking::Key& key,
                                       const std::optional<security::Credentials>& own);

/// Another's. With credentials it must be signed by whom our authority calls by that name.
Result<masking::Key> mask_key_from(const wire::MaskKey& message, const std::string& run, const std::string& name,
                                   const std::optional<security::Credentials>& own, security::Moment now);

}  // namespace fedrk::network

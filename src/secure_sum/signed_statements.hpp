// SPDX-License-Identifier: Apache-2.0
#pragma once

// What clients say to each other through a server that they need not believe, each statement signed with the key of its
// client's certificate. Without credentials nothing is signed, as connections are not either.

#include <optional>
#include <string>

#include "base/result.hpp"
#include "pki/moment.hpp"
#include "pki/own_credentials.hpp"
#include "secure_sum/masker.hpp"
#include "transport/protocol/messages.hpp"

namespace fedrk::network {

/// Signs a client's own membership of a run.
Result<void> sign_membership(const std::string& run, const std::string& name,
                             const std::optional<security::Credentials>& own, wire::Membership& membership);

/// Another's key for masks. With credentials its membership must be signed by whom our authority calls by that name.
Result<masking::Key> believed_key(const wire::Membership& membership, const std::string& run, const std::string& name,
                                  const std::optional<security::Credentials>& own, security::Moment now);

/// Signs the words of a part, which answer the question of that name.
Result<wire::SignedPart> sign_part(const masking::Digest& question, masking::Words words, const std::string& name,
                                   const std::optional<security::Credentials>& own);

/// Whether a part is its sender's answer to that question; `membership` was believed.
Result<void> believe_part(const wire::SignedPart& part, const masking::Digest& question, const std::string& name,
                          const wire::Membership& membership, const std::optional<security::Credentials>& own);

}  // namespace fedrk::network

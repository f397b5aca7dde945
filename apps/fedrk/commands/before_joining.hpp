// SPDX-License-Identifier: Apache-2.0
#pragma once

// A participant's own certificate, key and authority, looked at before it takes part.

#include <string>

#include "base/result.hpp"
#include "fedrk/tls_files.hpp"
#include "ops/log.hpp"
#include "pki/own_credentials.hpp"

namespace fedrk::app {

security::CredentialFiles credential_files(const network::TlsFiles& tls);

/// What the other side would refuse is an error, what is only unwise a line in the log. `name` is the one that the
/// certificate should have; empty: any.
///
/// A key that others can read is only unwise: where keys are mounted into a container their mode is often fixed, and
/// whoever could not start would copy the key about.
Result<void> look_at_own_files(const network::TlsFiles& tls, security::Role role, const std::string& name,
                               operation::Log& log);

}  // namespace fedrk::app

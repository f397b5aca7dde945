// SPDX-License-Identifier: Apache-2.0
#pragma once

// A participant's own three files, looked at before any connection: most of what a handshake would refuse can be said
// beforehand, in words for the person who holds the files.

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "pki/certificate.hpp"
#include "pki/moment.hpp"

namespace fedrk::security {

struct CredentialFiles {
  std::filesystem::path certificate, key, ca;
};

/// Their contents, as PEM.
struct Credentials {
  std::string certificate, key, ca;
};

Result<Credentials> read_credentials(const CredentialFiles& files);

struct Remark {
  enum class Level { Fine, Warning, Bad };
  std::string about;  // "certificate", "key", "ca"
  Level level;
  std::string message;  // what is there
  std::string advice;   // what to do about it; empty where it is fine
};

/// Everything there is to say about the files. `name` is the common name that the certificate should have; empty: any.
std::vector<Remark> look_at_own(const CredentialFiles& files, Role role, Moment now, const std::string& name = {});

/// The first of it that is bad, as an error.
Result<void> check_own(const CredentialFiles& files, Role role, Moment now);

}  // namespace fedrk::security

// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a certificate says, and whom to believe it. Certificates, keys and revocation lists are texts in PEM, as files
// hold them; of several certificates in one text the first counts.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "pki/moment.hpp"

namespace fedrk::security {

enum class Role { Server, Client };

struct CertificateFacts {
  std::string common_name;
  std::string issuer;  // common name of the authority
  Moment not_before, not_after;
  std::string serial;              // hexadecimal, upper case
  bool for_server, for_client;     // whom it may stand for
  bool is_authority;               // may sign others
  std::vector<std::string> names;  // the subject's alternative names: host names, addresses, URIs
};

Result<CertificateFacts> read_certificate(std::string_view certificate);

/// Whether the private key is that of the certificate.
Result<bool> key_belongs(std::string_view certificate, std::string_view key);

/// Whether the authority signed the certificate. Says nothing about dates.
Result<bool> signed_by(std::string_view certificate, std::string_view ca);

/// Why a certificate was not believed, for OpenSSL's number (X509_V_...): "has expired".
std::string disbelief_text(int verify_error);

struct Revoked {
  std::string serial;
  Moment since;
};

/// The entries of a revocation list; an error where the authority has not signed it.
Result<std::vector<Revoked>> read_crl(std::string_view crl, std::string_view ca);

/// Since when the certificate is revoked, if it is.
Result<std::optional<Moment>> revoked_since(std::string_view certificate, std::string_view crl, std::string_view ca);

}  // namespace fedrk::security

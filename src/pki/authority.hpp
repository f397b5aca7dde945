// SPDX-License-Identifier: Apache-2.0
#pragma once

// The authority of one federation: it signs the certificates of its server and of its clients, and the list of those
// that no longer count. Whoever trusts its certificate trusts nobody else.
//
//     auto authority = Authority::make(valid_for_days(now(), 3650));
//     auto site = authority->issue_client("site-1", valid_for_days(now(), 365));

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "pki/certificate.hpp"
#include "pki/moment.hpp"

namespace fedrk::security {

/// A certificate and its private key, as PEM.
struct Identity {
  std::string certificate, key;
};

/// Whether a certificate can be made for a host of that name: a DNS name or an IP address.
bool is_host(std::string_view host);

class Authority {
 public:
  /// A new key on P-256 and a certificate signed with it.
  static Result<Authority> make(Validity validity);

  /// REQUIRES nothing: an error where the key is not that of the certificate.
  static Result<Authority> load(const Identity& identity);

  const Identity& identity() const { return identity_; }

  /// For a server that is reached under these hosts. The certificate's name is "server".
  /// REQUIRES: at least one host, each `is_host`.
  Result<Identity> issue_server(const std::vector<std::string>& hosts, Validity validity) const;

  /// For a client. `uri`, where it is not empty, becomes an alternative name.
  /// REQUIRES: a name of 1 to 64 characters.
  Result<Identity> issue_client(std::string_view name, Validity validity, std::string_view uri = {}) const;

  /// The signed list of all that are revoked. It holds as long as the authority: a list that nobody renewed must not
  /// shut everyone out.
  Result<std::string> crl(const std::vector<Revoked>& revoked, Moment now) const;

 private:
  struct Handles;
  Authority(Identity identity, std::shared_ptr<const Handles> handles);

  Identity identity_;
  std::shared_ptr<const Handles> handles_;
};

}  // namespace fedrk::security

// SPDX-License-Identifier: Apache-2.0
#pragma once

// What TLS says in numbers, for a person at a client.

#include <optional>
#include <string>

#include "pki/certificate.hpp"
#include "pki/tls_probe.hpp"

namespace fedrk::security {

/// What came of looking at the server's certificate.
struct ServerSeen {
  bool looked = false;
  int error = 0;           // X509_V_..., 0: believed
  bool of_server = false;  // whether `error` concerns the server's certificate rather than its authority's
  std::optional<CertificateFacts> facts;
};

/// Why we do not believe the server.
Finding disbelief(const std::string& host, const ServerSeen& seen, const std::string& our_ca, Moment now);

/// What the server's alert means (TLS alert descriptions, RFC 8446).
Finding alert_finding(int alert);

/// What a server that hangs up on our certificate would have said, as far as our own files tell; 0: they tell nothing.
int alert_to_expect(const Credentials& ours, Moment now);

}  // namespace fedrk::security

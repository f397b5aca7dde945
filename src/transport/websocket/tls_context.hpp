// SPDX-License-Identifier: Apache-2.0
#pragma once

// Mutual TLS 1.3 for both sides of a federation. Sessions are never resumed: each connection shows its certificate.

#include <functional>
#include <string>

#include "base/result.hpp"
#include "fedrk/tls_files.hpp"
#include "pki/openssl.hpp"

namespace fedrk::network {

/// Why the holder of this certificate (PEM) may not join; empty: it may.
using Veto = std::function<std::string(const std::string& certificate)>;

/// For a server: every client must show a certificate of the authority that `veto` does not object to. The handshake
/// asks `veto` on the thread that performs it.
Result<security::TlsContext> server_tls_context(const TlsFiles& files, Veto veto);
Result<security::TlsContext> client_tls_context(const TlsFiles& files);

/// Why the certificate of the peer was refused. Attach one to a server's connection before its handshake.
struct CertificateRefusal {
  int error = 0;     // X509_V_...; 0: it was not refused
  std::string veto;  // its words, if that was the reason
};
void attach_refusal(SSL* tls, CertificateRefusal& refusal);

/// For a client: the server's certificate must be for this host name or address. False: it is neither.
bool expect_host(SSL* tls, const std::string& host);

/// Why a handshake failed, in plain words; `error` is OpenSSL's.
std::string handshake_reason(unsigned long error, const CertificateRefusal& refusal);

}  // namespace fedrk::network

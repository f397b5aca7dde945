// SPDX-License-Identifier: Apache-2.0
#include "pki/tls_text.hpp"

#include <fmt/format.h>

#include "pki/openssl.hpp"

namespace fedrk::security {
namespace {

using Stage = Finding::Stage;

Finding about_certificate(std::string message, std::string advice) {
  return {Stage::Certificate, false, std::move(message), std::move(advice), true};
}

}  // namespace

Finding disbelief(const std::string& host, const ServerSeen& seen, const std::string& our_ca, Moment now) {
  if (!seen.facts) return about_certificate("the server's certificate cannot be read", "tell the operator");
  const CertificateFacts& facts = *seen.facts;
  const std::string whose = seen.of_server ? "the server's certificate" : "the authority's certificate (ca)";
  switch (seen.error) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return about_certificate(
          seen.of_server ? fmt::format("{} expired on {}", whose, moment_text(facts.not_after))
                         : fmt::format("{} has expired", whose),
          fmt::format("if this machine's clock is right ({}), the operator has to renew it{}", moment_text(now),
                      seen.of_server ? " (fedrk provision DIR --renew server)" : " by provisioning anew"));
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return about_certificate(seen.of_server
                                   ? fmt::format("{} is not valid before {}, and here it is {}", whose,
                                                 moment_text(facts.not_before), moment_text(now))
                                   : fmt::format("{} is not yet valid, and here it is {}", whose, moment_text(now)),
                               "look at this machine's clock");
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return about_certificate(
          fmt::format("the server's certificate is for {}, not for {}",
                      facts.names.empty() ? "no host" : fmt::format("{}", fmt::join(facts.names, ", ")), host),
          fmt::format("write one of these names into the settings, or have it renewed with --host {}", host));
    case X509_V_ERR_INVALID_PURPOSE:
      return about_certificate(
          fmt::format("the server shows the certificate of '{}', which is not a server's", facts.common_name),
          "tell the operator: server.toml names the wrong certificate");
    default:
      break;
  }
  const std::string why = disbelief_text(seen.error);
  return about_certificate(
      why == disbelief_text(X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT)
          ? fmt::format("the server's certificate was issued by '{}', not by '{}' as in our ca file", facts.issuer,
                        our_ca)
          : fmt::format("{} {}", whose, why),
      "is this the right server? If it is, ask the operator for the ca.crt of this federation");
}

Finding alert_finding(int alert) {
  switch (alert) {
    case SSL_AD_CERTIFICATE_EXPIRED:
      return about_certificate("the server refuses our certificate: it has expired",
                               "ask the operator for a renewal (fedrk provision DIR --renew NAME)");
    case SSL_AD_UNKNOWN_CA:
      return about_certificate("the server refuses our certificate: it does not know the authority that issued it",
                               "use the start-up folder that the operator of this server handed over");
    case SSL_AD_CERTIFICATE_REVOKED:
      return about_certificate("the server refuses our certificate: it has been revoked",
                               "ask the operator why, and for a new one (fedrk provision DIR --renew NAME)");
    case SSL_AD_BAD_CERTIFICATE:
      return about_certificate("the server refuses our certificate: it finds it bad or not yet valid",
                               "is the server's clock right? Else ask the operator for a renewal");
    case SSL_AD_UNSUPPORTED_CERTIFICATE:
      return about_certificate("the server refuses our certificate: it is not a client's",
                               "use the client.crt of this start-up folder");
    case SSL_AD_CERTIFICATE_UNKNOWN:
    case SSL_AD_ACCESS_DENIED:
    case SSL_AD_DECRYPT_ERROR:
      return about_certificate(
          fmt::format("the server refuses our certificate ({})", SSL_alert_desc_string_long(alert)),
          "ask the operator what the server's log says of it");
    case SSL_AD_CERTIFICATE_REQUIRED:
      return about_certificate("the server asks for a certificate and got none from us",
                               "name certificate and key in the settings");
    case SSL_AD_HANDSHAKE_FAILURE:
      return {Stage::Handshake, false, "the server breaks the handshake off (handshake failure)",
              "is it a fedrk server, and are certificate and key named in the settings?"};
    case SSL_AD_PROTOCOL_VERSION:
      return {Stage::Handshake, false, "the server speaks no TLS version that is still safe (1.3)",
              "is this the port of fedrk server?"};
    default:
      return {Stage::Handshake, false,
              fmt::format("the server breaks the handshake off ({})", SSL_alert_desc_string_long(alert)),
              "ask the operator what the server's log says of it"};
  }
}

int alert_to_expect(const Credentials& ours, Moment now) {
  if (ours.certificate.empty()) return SSL_AD_CERTIFICATE_REQUIRED;
  const auto facts = read_certificate(ours.certificate);
  const auto known = signed_by(ours.certificate, ours.ca);
  if (!facts || !known) return 0;
  if (!*known) return SSL_AD_UNKNOWN_CA;
  if (!facts->for_client) return SSL_AD_UNSUPPORTED_CERTIFICATE;
  if (now > facts->not_after) return SSL_AD_CERTIFICATE_EXPIRED;
  return now < facts->not_before ? SSL_AD_BAD_CERTIFICATE : 0;
}

}  // namespace fedrk::security

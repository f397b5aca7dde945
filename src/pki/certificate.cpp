// SPDX-License-Identifier: Apache-2.0
#include "pki/certificate.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <openssl/err.h>

#include "pki/openssl.hpp"

namespace fedrk::security {
namespace {

std::string text_of_string(const ASN1_STRING* text) {
  const auto* first = ASN1_STRING_get0_data(text);
  return {first, first + ASN1_STRING_length(text)};
}

std::string address_text(const ASN1_OCTET_STRING* bytes) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const int family = ASN1_STRING_length(bytes) == 4 ? AF_INET : AF_INET6;
  if (family == AF_INET6 && ASN1_STRING_length(bytes) != 16) return "?";
  inet_ntop(family, ASN1_STRING_get0_data(bytes), text.data(), text.size());
  return text.data();
}

std::vector<std::string> alternative_names(const X509* certificate) {
  const GeneralNames names(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  std::vector<std::string> texts;
  for (int i = 0; names && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    int type = 0;
    const void* value = GENERAL_NAME_get0_value(sk_GENERAL_NAME_value(names.get(), i), &type);
    if (type == GEN_DNS || type == GEN_URI || type == GEN_EMAIL) {
      texts.push_back(text_of_string(static_cast<const ASN1_STRING*>(value)));
    } else if (type == GEN_IPADD) {
      texts.push_back(address_text(static_cast<const ASN1_OCTET_STRING*>(value)));
    }
  }
  return texts;
}

// A signature that does not fit leaves its reason in OpenSSL's queue, where it would be taken for that of the next
// failure.
bool fits(int verified) {
  ERR_clear_error();
  return verified == 1;
}

}  // namespace

Result<CertificateFacts> read_certificate(std::string_view certificate) try {
  const OwnedX509 read = certificate_from(certificate);
  const std::uint32_t uses = X509_get_extended_key_usage(read.get());  // all where the certificate does not say
  const bool authority = X509_check_ca(read.get()) == 1;
  return CertificateFacts{.common_name = common_name(X509_get_subject_name(read.get())),
                          .issuer = common_name(X509_get_issuer_name(read.get())),
                          .not_before = moment_of(X509_get0_notBefore(read.get())),
                          .not_after = moment_of(X509_get0_notAfter(read.get())),
                          .serial = hex_of(X509_get0_serialNumber(read.get())),
                          .for_server = !authority && (uses & XKU_SSL_SERVER) != 0,
                          .for_client = !authority && (uses & XKU_SSL_CLIENT) != 0,
                          .is_authority = authority,
                          .names = alternative_names(read.get())};
} catch (const OpensslFailure& failure) {
  return Error{failure.what()};
}

Result<bool> key_belongs(std::string_view certificate, std::string_view key) try {
  return fits(X509_check_private_key(certificate_from(certificate).get(), key_from(key).get()));
} catch (const OpensslFailure& failure) {
  return Error{failure.what()};
}

std::string disbelief_text(int verify_error) {
  switch (verify_error) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return "has expired";
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return "is not yet valid";
    case X509_V_ERR_CERT_REVOKED:
      return "was revoked";
    case X509_V_ERR_INVALID_PURPOSE:
      return "is for another use";
    case X509_V_ERR_INVALID_CA:
      return "was issued by somebody who is no authority";
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
      return "was issued by another authority";
    default:
      return fmt::format("is not to be believed ({})", X509_verify_cert_error_string(verify_error));
  }
}

Result<bool> signed_by(std::string_view certificate, std::string_view ca) try {
  const OwnedX509 read = certificate_from(certificate), authority = certificate_from(ca);
  const bool named = X509_check_issued(authority.get(), read.get()) == X509_V_OK;
  return named && fits(X509_verify(read.get(), require(X509_get0_pubkey(authority.get()), "a key of unknown kind")));
} catch (const OpensslFailure& failure) {
  return Error{failure.what()};
}

Result<std::vector<Revoked>> read_crl(std::string_view crl, std::string_view ca) try {
  const Crl list = crl_from(crl);
  const OwnedX509 authority = certificate_from(ca);
  if (!fits(X509_CRL_verify(list.get(), require(X509_get0_pubkey(authority.get()), "a key of unknown kind")))) {
    return Error{"the revocation list is not signed by " + common_name(X509_get_subject_name(authority.get()))};
  }
  std::vector<Revoked> entries;
  const STACK_OF(X509_REVOKED)* revoked = X509_CRL_get_REVOKED(list.get());
  for (int i = 0; i < sk_X509_REVOKED_num(revoked); ++i) {
    const X509_REVOKED* entry = sk_X509_REVOKED_value(revoked, i);
    entries.push_back(
        {hex_of(X509_REVOKED_get0_serialNumber(entry)), moment_of(X509_REVOKED_get0_revocationDate(entry))});
  }
  return entries;
} catch (const OpensslFailure& failure) {
  return Error{failure.what()};
}

Result<std::optional<Moment>> revoked_since(std::string_view certificate, std::string_view crl, std::string_view ca) {
  const auto facts = read_certificate(certificate);
  if (!facts) return facts.error();
  const auto entries = read_crl(crl, ca);
  if (!entries) return entries.error();
  const auto found = std::ranges::find(*entries, facts->serial, &Revoked::serial);
  return found == entries->end() ? std::optional<Moment>() : std::optional<Moment>(found->since);
}

}  // namespace fedrk::security

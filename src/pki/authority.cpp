// SPDX-License-Identifier: Apache-2.0
#include "pki/authority.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include <fmt/format.h>
#include <openssl/rand.h>

#include "fedrk/error.hpp"
#include "pki/openssl.hpp"

namespace fedrk::security {

struct Authority::Handles {
  OwnedX509 certificate;
  Key key;
};

namespace {

constexpr const char* kNoMemory = "out of memory";

Key new_key() { return Key(require(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256"), "cannot make a key")); }

std::string random_digits() {
  std::array<unsigned char, 4> bytes{};
  require(RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) == 1, "no random numbers");
  return fmt::format("{:02x}", fmt::join(bytes, ""));
}

bool is_address(std::string_view host) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  const std::string text(host);
  return inet_pton(AF_INET, text.c_str(), bytes.data()) == 1 || inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1;
}

// A certificate that says all but what it may be used for, not yet signed.
OwnedX509 blank(std::string_view name, EVP_PKEY* key, const X509_NAME* issuer, Validity validity) {
  OwnedX509 made(require(X509_new(), kNoMemory));
  const BigNumber number(require(BN_new(), kNoMemory));
  require(BN_rand(number.get(), 128, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) == 1, "no random numbers");
  const Asn1Integer serial(require(BN_to_ASN1_INTEGER(number.get(), nullptr), kNoMemory));
  X509_NAME* subject = X509_get_subject_name(made.get());
  const std::string text(name);
  require(X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(text.data()),
                                     static_cast<int>(text.size()), -1, 0) == 1,
          "'" + text + "' cannot be the name in a certificate");
  require(X509_set_version(made.get(), X509_VERSION_3) == 1 && X509_set_serialNumber(made.get(), serial.get()) == 1 &&
              X509_set_issuer_name(made.get(), issuer == nullptr ? subject : issuer) == 1 &&
              X509_set1_notBefore(made.get(), asn1_time(validity.from).get()) == 1 &&
              X509_set1_notAfter(made.get(), asn1_time(validity.until).get()) == 1 &&
              X509_set_pubkey(made.get(), key) == 1,
          "cannot make a certificate");
  return made;
}

using Extension = Owned<X509_EXTENSION, X509_EXTENSION_free>;

// `value` in the notation of OpenSSL's configuration: for constants only, as a comma in it would start another value.
void extend(X509* certificate, X509* issuer, int kind, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const Extension extension(
      require(X509V3_EXT_conf_nid(nullptr, &context, kind, value), "cannot make an extension of a certificate"));
  require(X509_add_ext(certificate, extension.get(), -1) == 1, kNoMemory);
}

void add_name(GENERAL_NAMES* names, int type, std::string_view text) {
  Owned<GENERAL_NAME, GENERAL_NAME_free> name(require(GENERAL_NAME_new(), kNoMemory));
  if (type == GEN_IPADD) {
    GENERAL_NAME_set0_value(name.get(), type,
                            require(a2i_IPADDRESS(std::string(text).c_str()), "not an address: " + std::string(text)));
  } else {
    Owned<ASN1_IA5STRING, ASN1_IA5STRING_free> value(require(ASN1_IA5STRING_new(), kNoMemory));
    require(ASN1_STRING_set(value.get(), text.data(), static_cast<int>(text.size())) == 1, kNoMemory);
    GENERAL_NAME_set0_value(name.get(), type, value.release());
  }
  require(sk_GENERAL_NAME_push(names, name.get()) > 0, kNoMemory);
  static_cast<void>(name.release());
}

void add_names(X509* certificate, const GeneralNames& names) {
  require(X509_add1_ext_i2d(certificate, NID_subject_alt_name, names.get(), 0, X509V3_ADD_DEFAULT) == 1,
          "cannot add the names to a certificate");
}

GeneralNames no_names() { return GeneralNames(require(sk_GENERAL_NAME_new_null(), kNoMemory)); }

void sign(X509* certificate, EVP_PKEY* key) {
  require(X509_sign(certificate, key, EVP_sha256()) > 0, "cannot sign a certificate");
}

// What the certificates of server and clients have in common.
OwnedX509 participant(std::string_view name, EVP_PKEY* key, X509* issuer, Validity validity, const char* use) {
  const Moment end = moment_of(X509_get0_notAfter(issuer));
  validity.until = std::min(validity.until, end);  // beyond its authority a certificate means nothing
  OwnedX509 made = blank(name, key, X509_get_subject_name(issuer), validity);
  extend(made.get(), issuer, NID_basic_constraints, "critical,CA:FALSE");
  extend(made.get(), issuer, NID_key_usage, "critical,digitalSignature");
  extend(made.get(), issuer, NID_ext_key_usage, use);
  extend(made.get(), issuer, NID_subject_key_identifier, "hash");
  extend(made.get(), issuer, NID_authority_key_identifier, "keyid:always");
  return made;
}

}  // namespace

bool is_host(std::string_view host) {
  if (is_address(host)) return true;
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
           c == '_';
  };
  const bool edges = !host.empty() && host.front() != '-' && host.front() != '.' && host.back() != '-';
  const bool letters = std::ranges::any_of(host, [](char c) { return c != '.' && (c < '0' || c > '9'); });
  return edges && letters && host.size() <= 253 && std::ranges::all_of(host, fits) &&
         host.find("..") == std::string_view::npos;
}

Authority::Authority(Identity identity, std::shared_ptr<const Handles> handles)
    : identity_(std::move(identity)), handles_(std::move(handles)) {}

Result<Authority> Authority::make(Validity validity) try {
  auto handles = std::make_shared<Handles>();
  handles->key = new_key();
  handles->certificate = blank("fedrk federation CA " + random_digits(), handles->key.get(), nullptr, validity);
  X509* own = handles->certificate.get();
  extend(own, own, NID_basic_constraints, "critical,CA:TRUE,pathlen:0");
  extend(own, own, NID_key_usage, "critical,keyCertSign,cRLSign");
  extend(own, own, NID_subject_key_identifier, "hash");
  extend(own, own, NID_authority_key_identifier, "keyid:always");
  sign(own, handles->key.get());
  Identity identity{pem_of(own), pem_of(handles->key.get())};
  return Authority(std::move(identity), std::move(handles));
} catch (const OpensslFailure& failure) {
  return Error{failure.what()};
}

Result<Authority> Authority::load(const Identity& identity) try {
  auto handles = std::make_shared<Handles>();
  handles->certificate = certificate_from(identity.certificate);
  handles->key = key_from(identity.key);
  require(X509_check_private_key(handles->certificate.get(), handles->key.get()) == 1,
          "the authority's key does not belong to its certificate");
  return Authority(identity, std::move(handles));
} catch (const OpensslFailure& failure) {
  return Error{failure.what()};
}

Result<Identity> Authority::issue_server(const std::vector<std::string>& hosts, Validity validity) const try {
  if (hosts.empty() || !std::ranges::all_of(hosts, is_host)) throw InvalidArgument("a server needs names of hosts");
  const Key key = new_key();
  const OwnedX509 made = participant("server", key.get(), handles_->certificate.get(), validity, "serverAuth");
  const GeneralNames names = no_names();
  for (const std::string& host : hosts) add_name(names.get(), is_address(host) ? GEN_IPADD : GEN_DNS, host);
  add_names(made.get(), names);
  sign(made.get(), handles_->key.get());
  return Identity{pem_of(made.get()), pem_of(key.get())};
} catch (const OpensslFailure& failure) {
  return Error{failure.what()};
}

Result<Identity> Authority::issue_client(std::string_view name, Validity validity, std::string_view uri) const try {
  if (name.empty() || name.size() > 64) throw InvalidArgument("a client's name has 1 to 64 characters");
  const Key key = new_key();
  const OwnedX509 made = participant(name, key.get(), handles_->certificate.get(), validity, "clientAuth");
  if (!uri.empty()) {
    const GeneralNames names = no_names();
    add_name(names.get(), GEN_URI, uri);
    add_names(made.get(), names);
  }
  sign(made.get(), handles_->key.get());
  return Identity{pem_of(made.get()), pem_of(key.get())};
} catch (const OpensslFailure& failure) {
  return Error{failure.what()};
}

Result<std::string> Authority::crl(const std::vector<Revoked>& revoked, Moment now) const try {
  const X509* own = handles_->certificate.get();
  const Crl list(require(X509_CRL_new(), kNoMemory));
  const Asn1Integer number(require(ASN1_INTEGER_new(), kNoMemory));
  constexpr long kVersion2 = 1;
  require(ASN1_INTEGER_set_int64(number.get(), now.time_since_epoch().count()) == 1 &&  // must grow from list to list
              X509_CRL_set_version(list.get(), kVersion2) == 1 &&
              X509_CRL_set_issuer_name(list.get(), X509_get_subject_name(own)) == 1 &&
              X509_CRL_set1_lastUpdate(list.get(), asn1_time(now).get()) == 1 &&
              X509_CRL_set1_nextUpdate(list.get(), X509_get0_notAfter(own)) == 1 &&
              X509_CRL_add1_ext_i2d(list.get(), NID_crl_number, number.get(), 0, X509V3_ADD_DEFAULT) == 1,
          "cannot make a revocation list");
  for (const Revoked& entry : revoked) {
    Owned<X509_REVOKED, X509_REVOKED_free> added(require(X509_REVOKED_new(), kNoMemory));
    require(X509_REVOKED_set_serialNumber(added.get(), integer_from_hex(entry.serial).get()) == 1 &&
                X509_REVOKED_set_revocationDate(added.get(), asn1_time(entry.since).get()) == 1 &&
                X509_CRL_add0_revoked(list.get(), added.get()) == 1,
            "cannot add to a revocation list");
    static_cast<void>(added.release());
  }
  require(X509_CRL_sort(list.get()) == 1 && X509_CRL_sign(list.get(), handles_->key.get(), EVP_sha256()) > 0,
          "cannot sign a revocation list");
  return pem_of(list.get());
} catch (const OpensslFailure& failure) {
  return Error{failure.what()};
}

}  // namespace fedrk::security

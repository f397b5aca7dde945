// SPDX-License-Identifier: Apache-2.0
#pragma once

// OpenSSL's objects with owners, and its failures as one exception that stays within this library: each public
// function turns it into an Error.

#include <ctime>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "pki/moment.hpp"

namespace fedrk::security {

template <auto Free>
struct FreeWith {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};
template <class T, auto Free>
using Owned = std::unique_ptr<T, FreeWith<Free>>;

using Bio = Owned<BIO, BIO_free_all>;
using OwnedX509 = Owned<X509, X509_free>;
using Crl = Owned<X509_CRL, X509_CRL_free>;
using Key = Owned<EVP_PKEY, EVP_PKEY_free>;
using BigNumber = Owned<BIGNUM, BN_free>;
using Asn1Integer = Owned<ASN1_INTEGER, ASN1_INTEGER_free>;
using Asn1Time = Owned<ASN1_TIME, ASN1_TIME_free>;
using GeneralNames = Owned<GENERAL_NAMES, GENERAL_NAMES_free>;
using TlsContext = Owned<SSL_CTX, SSL_CTX_free>;
using Tls = Owned<SSL, SSL_free>;

struct OpensslFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws OpensslFailure with `doing` and OpenSSL's own reason, whose queue it empties.
[[noreturn]] void fail(std::string_view doing);

inline void require(bool done, std::string_view doing) {
  if (!done) fail(doing);
}

template <class T>
T* require(T* object, std::string_view doing) {
  if (object == nullptr) fail(doing);
  return object;
}

Bio bio_of(std::string_view text);
std::string text_of(BIO* bio);

OwnedX509 certificate_from(std::string_view pem);
Key key_from(std::string_view pem);
Crl crl_from(std::string_view pem);
std::string pem_of(X509* certificate);
std::string pem_of(EVP_PKEY* key);
std::string pem_of(X509_CRL* crl);

Moment moment_of(const ASN1_TIME* time);
Asn1Time asn1_time(Moment moment);
std::string hex_of(const ASN1_INTEGER* number);
Asn1Integer integer_from_hex(const std::string& hex);

/// The first common name, as UTF-8; empty where there is none.
std::string common_name(const X509_NAME* name);

}  // namespace fedrk::security

// SPDX-License-Identifier: Apache-2.0
#include "pki/openssl.hpp"

#include <array>
#include <limits>

#include <openssl/err.h>
#include <openssl/pem.h>

namespace fedrk::security {
namespace {

// Without this OpenSSL would ask for a passphrase at the terminal, where nobody may be.
int no_passphrase(char*, int, int, void*) { return -1; }

}  // namespace

void fail(std::string_view doing) {
  const char* reason = ERR_reason_error_string(ERR_peek_last_error());
  std::string text(doing);
  if (reason != nullptr) text.append(" (").append(reason).append(")");
  ERR_clear_error();
  throw OpensslFailure(text);
}

Bio bio_of(std::string_view text) {
  require(text.size() <= static_cast<std::size_t>(std::numeric_limits<int>::max()), "a text too long to be read");
  return Bio(require(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), "out of memory"));
}

std::string text_of(BIO* bio) {
  std::string text;
  std::array<char, 4096> piece{};
  for (int got = 0; (got = BIO_read(bio, piece.data(), static_cast<int>(piece.size()))) > 0;) {
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
  return text;
}

OwnedX509 certificate_from(std::string_view pem) {
  const Bio bio = bio_of(pem);
  return OwnedX509(require(PEM_read_bio_X509(bio.get(), nullptr, no_passphrase, nullptr), "not a certificate in PEM"));
}

Key key_from(std::string_view pem) {
  const Bio bio = bio_of(pem);
  return Key(require(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_passphrase, nullptr),
                     "not a private key in PEM without a passphrase"));
}

Crl crl_from(std::string_view pem) {
  const Bio bio = bio_of(pem);
  return Crl(
      require(PEM_read_bio_X509_CRL(bio.get(), nullptr, no_passphrase, nullptr), "not a revocation list in PEM"));
}

std::string pem_of(X509* certificate) {
  const Bio bio(require(BIO_new(BIO_s_mem()), "out of memory"));
  require(PEM_write_bio_X509(bio.get(), certificate) == 1, "cannot write a certificate as PEM");
  return text_of(bio.get());
}

std::string pem_of(EVP_PKEY* key) {
  const Bio bio(require(BIO_new(BIO_s_secmem()), "out of memory"));
  require(PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1,
          "cannot write a key as PEM");
  return text_of(bio.get());
}

std::string pem_of(X509_CRL* crl) {
  const Bio bio(require(BIO_new(BIO_s_mem()), "out of memory"));
  require(PEM_write_bio_X509_CRL(bio.get(), crl) == 1, "cannot write a revocation list as PEM");
  return text_of(bio.get());
}

Moment moment_of(const ASN1_TIME* time) {
  std::tm parts{};
  require(ASN1_TIME_to_tm(time, &parts) == 1, "a date that cannot be read");
  return Moment(std::chrono::seconds(::timegm(&parts)));
}

Asn1Time asn1_time(Moment moment) {
  return Asn1Time(require(ASN1_TIME_set(nullptr, std::chrono::system_clock::to_time_t(moment)), "a date out of range"));
}

std::string hex_of(const ASN1_INTEGER* number) {
  const BigNumber value(require(ASN1_INTEGER_to_BN(number, nullptr), "a serial number that cannot be read"));
  const std::unique_ptr<char, decltype([](char* text) { OPENSSL_free(text); })> text(
      require(BN_bn2hex(value.get()), "out of memory"));
  return text.get();
}

Asn1Integer integer_from_hex(const std::string& hex) {
  BIGNUM* number = nullptr;
  const int digits = BN_hex2bn(&number, hex.c_str());
  const BigNumber value(number);
  require(digits > 0 && static_cast<std::size_t>(digits) == hex.size(), "'" + hex + "' is not a serial number");
  return Asn1Integer(require(BN_to_ASN1_INTEGER(value.get(), nullptr), "out of memory"));
}

std::string common_name(const X509_NAME* name) {
  const int at = X509_NAME_get_index_by_NID(name, NID_commonName, -1);
  if (at < 0) return {};
  unsigned char* text = nullptr;
  const int length = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, at)));
  require(length >= 0, "a name that cannot be read");
  std::string result(text, text + length);
  OPENSSL_free(text);
  return result;
}

}  // namespace fedrk::security

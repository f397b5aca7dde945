// SPDX-License-Identifier: Apache-2.0
#include "pki/signature.hpp"

#include <fmt/format.h>

#include "pki/certificate.hpp"
#include "pki/openssl.hpp"

namespace fedrk::security {
namespace {

using Digest = Owned<EVP_MD_CTX, EVP_MD_CTX_free>;

Digest new_digest() { return Digest(require(EVP_MD_CTX_new(), "no room for a signature")); }

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());  // NOLINT: OpenSSL takes bytes
}

}  // namespace

Result<std::string> sign(std::string_view key, std::string_view text) try {
  constexpr const char* kDoing = "cannot sign";
  const Key with = key_from(key);
  const Digest digest = new_digest();
  require(EVP_DigestSignInit(digest.get(), nullptr, EVP_sha256(), nullptr, with.get()) == 1, kDoing);
  std::size_t length = 0;
  require(EVP_DigestSign(digest.get(), nullptr, &length, bytes_of(text), text.size()) == 1, kDoing);
  std::string signature(length, '\0');
  auto* const to = reinterpret_cast<unsigned char*>(signature.data());  // NOLINT: OpenSSL gives bytes
  require(EVP_DigestSign(digest.get(), to, &length, bytes_of(text), text.size()) == 1, kDoing);
  signature.resize(length);
  return signature;
} catch (const OpensslFailure& failure) {
  return Error{failure.what()};
}

Result<bool> is_signed(std::string_view certificate, std::string_view text, std::string_view signature) try {
  const OwnedX509 read = certificate_from(certificate);
  const Digest digest = new_digest();
  EVP_PKEY* const key = require(X509_get0_pubkey(read.get()), "a key of unknown kind");
  require(EVP_DigestVerifyInit(digest.get(), nullptr, EVP_sha256(), nullptr, key) == 1, "cannot look at a signature");
  const int fits = EVP_DigestVerify(digest.get(), bytes_of(signature), signature.size(), bytes_of(text), text.size());
  ERR_clear_error();  // what is no signature at all is one that does not fit
  return fits == 1;
} catch (const OpensslFailure& failure) {
  return Error{failure.what()};
}

Result<void> believe_client(std::string_view certificate, std::string_view ca, const std::string& name, Moment now) {
  const auto facts = read_certificate(certificate);
  if (!facts) return facts.error();
  const auto issued = signed_by(certificate, ca);
  if (!issued) return issued.error();
  if (!*issued) return Error{fmt::format("the certificate of '{}' was issued by another authority", name)};
  if (!facts->for_client) return Error{fmt::format("the certificate of '{}' is not a client's", name)};
  if (facts->common_name != name) {
    return Error{fmt::format("the certificate of '{}' is that of '{}'", name, facts->common_name)};
  }
  if (now < facts->not_before || now > facts->not_after) {
    return Error{fmt::format("the certificate of '{}' is not valid now", name)};
  }
  return {};
}

}  // namespace fedrk::security

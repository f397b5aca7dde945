// SPDX-License-Identifier: Apache-2.0
#include "transport/websocket/tls_context.hpp"

#include <memory>
#include <utility>

#include <openssl/pem.h>

#include "base/mapped_file.hpp"
#include "pki/certificate.hpp"
#include "transport/protocol/sanitized.hpp"

namespace fedrk::network {
namespace {

using security::OwnedX509;
using security::require;
using security::TlsContext;

struct Pems {
  std::string certificate, key, ca;
};

Result<Pems> read_pems(const TlsFiles& files) {
  Pems pems;
  const std::pair<const std::string*, std::string*> wanted[] = {
      {&files.certificate, &pems.certificate}, {&files.key, &pems.key}, {&files.ca, &pems.ca}};
  for (const auto& [path, text] : wanted) {
    const auto file = io::MappedFile::open(*path);
    if (!file) return file.error();
    *text = file->text();
  }
  return pems;
}

// The first certificate of a text must be there, others may follow.
template <class Take>
void for_each_certificate(const std::string& pem, Take take) {
  const security::Bio bio = security::bio_of(pem);
  OwnedX509 certificate(require(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr), "not a certificate in PEM"));
  for (bool first = true; certificate; first = false) {
    take(certificate.get(), first);
    certificate.reset(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
  }
  ERR_clear_error();  // that of the end
}

TlsContext context_of(const SSL_METHOD* method, const Pems& pems) {
  TlsContext context(require(SSL_CTX_new(method), "cannot set TLS up"));
  require(SSL_CTX_set_min_proto_version(context.get(), TLS1_3_VERSION) == 1, "cannot set TLS up");
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  // OpenSSL has no buffers for an idle connection, reads all that a socket has at a time, and takes the rest of a
  // record that could not be written from another address.
  SSL_CTX_set_mode(context.get(),
                   SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_read_ahead(context.get(), 1);
  for_each_certificate(pems.ca, [&](X509* authority, bool) {
    require(X509_STORE_add_cert(SSL_CTX_get_cert_store(context.get()), authority) == 1, "cannot use the ca file");
  });
  for_each_certificate(pems.certificate, [&](X509* certificate, bool first) {
    require(first ? SSL_CTX_use_certificate(context.get(), certificate) == 1
                  : SSL_CTX_add1_chain_cert(context.get(), certificate) == 1,
            "cannot use the certificate");
  });
  require(SSL_CTX_use_PrivateKey(context.get(), security::key_from(pems.key).get()) == 1,
          "certificate and key cannot be used together");
  return context;
}

// ---- What the server's verification needs, kept in OpenSSL's own objects.

void free_veto(void*, void* veto, CRYPTO_EX_DATA*, int, long, void*) { delete static_cast<Veto*>(veto); }

int veto_index() {
  static const int index = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, free_veto);
  return index;
}

// Nothing may be thrown through OpenSSL.
std::string objection(const SSL* tls, X509* certificate) try {
  const auto* veto = static_cast<const Veto*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(tls), veto_index()));
  return veto != nullptr && *veto ? (*veto)(security::pem_of(certificate)) : "";
} catch (const std::exception& error) {
  return error.what();
}

int verify_client(int believed, X509_STORE_CTX* store) {
  const auto* tls = static_cast<const SSL*>(X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
  auto* refusal = static_cast<CertificateRefusal*>(SSL_get_app_data(tls));
  std::string veto;
  if (believed == 1 && X509_STORE_CTX_get_error_depth(store) == 0) {
    veto = objection(tls, X509_STORE_CTX_get_current_cert(store));
    if (!veto.empty()) {
      X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_REVOKED);  // so that the client is told
      believed = 0;
    }
  }
  if (believed == 0 && refusal != nullptr) *refusal = {X509_STORE_CTX_get_error(store), std::move(veto)};
  return believed;
}

}  // namespace

Result<TlsContext> server_tls_context(const TlsFiles& files, Veto veto) try {
  const auto pems = read_pems(files);
  if (!pems) return pems.error();
  TlsContext context = context_of(TLS_server_method(), *pems);
  SSL_CTX_set_num_tickets(context.get(), 0);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, verify_client);
  auto kept = std::make_unique<Veto>(std::move(veto));
  require(SSL_CTX_set_ex_data(context.get(), veto_index(), kept.get()) == 1, "cannot set TLS up");
  kept.release();  // NOLINT: the context frees it
  return context;
} catch (const security::OpensslFailure& failure) {
  return Error{failure.what()};
}

Result<TlsContext> client_tls_context(const TlsFiles& files) try {
  const auto pems = read_pems(files);
  if (!pems) return pems.error();
  TlsContext context = context_of(TLS_client_method(), *pems);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  return context;
} catch (const security::OpensslFailure& failure) {
  return Error{failure.what()};
}

void attach_refusal(SSL* tls, CertificateRefusal& refusal) { SSL_set_app_data(tls, &refusal); }

bool expect_host(SSL* tls, const std::string& host) {
  if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(tls), host.c_str()) == 1) return true;
  std::string name = host;  // the macro of this call takes no constant
  const bool set = SSL_ctrl(tls, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, name.data()) == 1 &&
                   SSL_set1_host(tls, host.c_str()) == 1;
  ERR_clear_error();
  return set;
}

std::string handshake_reason(unsigned long error, const CertificateRefusal& refusal) {
  if (!refusal.veto.empty()) return refusal.veto;
  if (refusal.error != 0) return "the peer's certificate " + security::disbelief_text(refusal.error);
  const char* reason = ERR_reason_error_string(error);
  return handshake_reason(reason == nullptr ? "" : reason);
}

}  // namespace fedrk::network

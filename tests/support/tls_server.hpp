// SPDX-License-Identifier: Apache-2.0
#pragma once

// A server in a thread that agrees to speak WebSocket as fedrk does, or fails to in a chosen way.

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>

#include <openssl/pem.h>
#include <openssl/ssl.h>

#include "support/loopback_listener.hpp"

namespace fedrk::test {

/// HangsUp: on every certificate, without a word. Plain: another service. Clear: fedrk without TLS. Web: a web
/// server. Old: at most TLS 1.2.
struct TlsServerOptions {
  std::string certificate, key, ca, crl;  // PEM; without a crl nobody is revoked
  enum { Greets, HangsUp, Plain, Clear, Silent, Web, Old } behaviour = Greets;

  bool with_tls() const { return behaviour != Plain && behaviour != Clear && behaviour != Silent; }
  std::string greeting() const {
    if (behaviour == Plain) return "220 mail.example.org at your service\r\n";
    if (behaviour == Web) return "HTTP/1.1 404 Not Found\r\nServer: web\r\nContent-Length: 0\r\n\r\n";
    return "HTTP/1.1 101 Switching Protocols\r\nServer: fedrk\r\n\r\n";
  }
};

class TlsServer {
 public:
  explicit TlsServer(const TlsServerOptions& options) : options_(options) {
    if (options_.with_tls()) set_up();
    thread_ = std::thread([this] { serve(); });
  }
  TlsServer(const TlsServer&) = delete;
  TlsServer& operator=(const TlsServer&) = delete;
  ~TlsServer() {
    stop_ = true;
    thread_.join();
    SSL_CTX_free(context_);
  }

  std::uint16_t port() const { return listener_.port(); }

 private:
  template <class T, class Read>
  static T* read_pem(const std::string& pem, Read read) {
    BIO* bio = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
    T* object = read(bio, nullptr, nullptr, nullptr);
    BIO_free_all(bio);
    if (object == nullptr) throw std::runtime_error("not PEM: " + pem);
    return object;
  }

  void set_up() {
    context_ = SSL_CTX_new(TLS_server_method());
    X509* certificate = read_pem<X509>(options_.certificate, PEM_read_bio_X509);
    EVP_PKEY* key = read_pem<EVP_PKEY>(options_.key, PEM_read_bio_PrivateKey);
    X509* ca = read_pem<X509>(options_.ca, PEM_read_bio_X509);
    X509_STORE* store = SSL_CTX_get_cert_store(context_);
    const bool ready = SSL_CTX_use_certificate(context_, certificate) == 1 &&
                       SSL_CTX_use_PrivateKey(context_, key) == 1 && X509_STORE_add_cert(store, ca) == 1;
    X509_free(certificate);
    EVP_PKEY_free(key);
    X509_free(ca);
    if (!ready) throw std::runtime_error("the test's server cannot be set up");
    if (!options_.crl.empty()) {
      X509_CRL* crl = read_pem<X509_CRL>(options_.crl, PEM_read_bio_X509_CRL);
      X509_STORE_add_crl(store, crl);
      X509_STORE_set_flags(store, X509_V_FLAG_CRL_CHECK);
      X509_CRL_free(crl);
    }
    SSL_CTX_set_num_tickets(context_, 0);
    if (options_.behaviour == TlsServerOptions::HangsUp) {
      SSL_CTX_set_verify(context_, SSL_VERIFY_PEER, [](int, X509_STORE_CTX*) { return 1; });  // no alert
    } else {
      SSL_CTX_set_verify(context_, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    }
    if (options_.behaviour == TlsServerOptions::Old) SSL_CTX_set_max_proto_version(context_, TLS1_2_VERSION);
  }

  void serve() {
    while (!stop_) {
      pollfd watched{listener_.socket(), POLLIN, 0};
      if (::poll(&watched, 1, 10) != 1) continue;
      const int peer = ::accept(listener_.socket(), nullptr, nullptr);
      if (peer < 0) continue;
      answer(peer);
      ::close(peer);
    }
  }

  void wait_until_gone(int peer) const {
    pollfd watched{peer, POLLIN, 0};
    for (int patience = 0; patience < 300 && !stop_; ++patience) {
      if (::poll(&watched, 1, 10) != 1) continue;
      char ignored[4096];
      if (::recv(peer, ignored, sizeof ignored, 0) <= 0) return;
    }
  }

  void answer(int peer) {
    if (options_.behaviour == TlsServerOptions::Silent) return wait_until_gone(peer);
    const std::string message = options_.greeting();
    if (!options_.with_tls()) {
      if (::send(peer, message.data(), message.size(), MSG_NOSIGNAL) < 0) return;
      return wait_until_gone(peer);
    }
    SSL* tls = SSL_new(context_);
    SSL_set_fd(tls, peer);
    const bool shaken = SSL_accept(tls) == 1;
    if (shaken && options_.behaviour != TlsServerOptions::HangsUp) {
      SSL_write(tls, message.data(), static_cast<int>(message.size()));
    }
    if (!shaken || options_.behaviour != TlsServerOptions::HangsUp) wait_until_gone(peer);
    SSL_free(tls);
  }

  TlsServerOptions options_;
  SSL_CTX* context_ = nullptr;
  LoopbackListener listener_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace fedrk::test

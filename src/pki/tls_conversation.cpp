// SPDX-License-Identifier: Apache-2.0
#include "pki/tls_conversation.hpp"

#include <array>
#include <string_view>
#include <utility>

#include <openssl/err.h>

namespace fedrk::security {
namespace {

// Keeps what the callback saw: after a refusal OpenSSL no longer has the server's certificate.
int note_verdict(int believed, X509_STORE_CTX* context) {
  const auto* tls = static_cast<const SSL*>(X509_STORE_CTX_get_ex_data(context, SSL_get_ex_data_X509_STORE_CTX_idx()));
  auto& seen = *static_cast<ServerSeen*>(SSL_get_ex_data(tls, 0));
  seen.looked = true;
  if (X509* server = X509_STORE_CTX_get0_cert(context); server != nullptr && !seen.facts) {
    try {
      if (auto facts = read_certificate(pem_of(server))) seen.facts = *std::move(facts);
    } catch (const OpensslFailure&) {  // nothing may be thrown through OpenSSL
    }
  }
  if (believed == 0 && seen.error == 0) {
    seen.error = X509_STORE_CTX_get_error(context);
    seen.of_server = X509_STORE_CTX_get_error_depth(context) == 0;
  }
  return believed;
}

// A record starts with its kind (22 handshake, 21 alert) and version 3.x.
bool looks_like_tls(const std::string& bytes) {
  return (bytes[0] == 22 || bytes[0] == 21) && (bytes.size() < 2 || bytes[1] == 3);
}

}  // namespace

std::string upgrade_request(const std::string& host) {
  return "GET /federation HTTP/1.1\r\nHost: " + host +
         "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
         "Sec-WebSocket-Key: ZmVkcmstcHJvYmUtLS0tLQ==\r\nSec-WebSocket-Protocol: fedrk\r\n\r\n";
}

bool is_fedrk_answer(std::string_view bytes) {
  return bytes.starts_with("HTTP/1.1 ") && bytes.find("\r\nServer: fedrk\r\n") != std::string_view::npos;
}

bool is_upgrade(std::string_view bytes) { return bytes.starts_with("HTTP/1.1 101 ") && is_fedrk_answer(bytes); }

TlsContext client_context(const Credentials& credentials) {
  TlsContext context(require(SSL_CTX_new(TLS_client_method()), "cannot set TLS up"));
  require(SSL_CTX_set_min_proto_version(context.get(), TLS1_3_VERSION) == 1, "cannot set TLS up");
  require(X509_STORE_add_cert(SSL_CTX_get_cert_store(context.get()), certificate_from(credentials.ca).get()) == 1,
          "cannot use the ca file");
  if (!credentials.certificate.empty()) {
    require(SSL_CTX_use_certificate(context.get(), certificate_from(credentials.certificate).get()) == 1 &&
                SSL_CTX_use_PrivateKey(context.get(), key_from(credentials.key).get()) == 1,
            "our certificate and key cannot be used together");
  }
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, note_verdict);
  return context;
}

Conversation::Conversation(SSL_CTX* context, std::string host, TcpConnection connection)
    : tls_(require(SSL_new(context), "out of memory")), connection_(std::move(connection)) {
  in_ = require(BIO_new(BIO_s_mem()), "out of memory");
  out_ = require(BIO_new(BIO_s_mem()), "out of memory");
  SSL_set_bio(tls_.get(), in_, out_);
  SSL_set_connect_state(tls_.get());
  require(SSL_set_ex_data(tls_.get(), 0, &seen_) == 1, "cannot set TLS up");
  if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(tls_.get()), host.c_str()) != 1) {
    ERR_clear_error();
    const long named = SSL_ctrl(tls_.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, host.data());
    require(named == 1 && SSL_set1_host(tls_.get(), host.c_str()) == 1, "not a host name: " + host);
  }
}

std::string Conversation::version() const { return SSL_get_version(tls_.get()); }

template <class Step>
Conversation::End Conversation::drive(Step step, Deadline deadline) {
  for (;;) {
    ERR_clear_error();
    const int result = step();
    const int error = SSL_get_error(tls_.get(), result);
    const unsigned long why = ERR_peek_error();
    const bool sent = connection_.send(text_of(out_), deadline);
    if (result > 0) return End::Success;
    if (error == SSL_ERROR_ZERO_RETURN) return End::HungUp;
    if (error != SSL_ERROR_WANT_READ) return explain(why);
    // Who hangs up at us may have said why before.
    std::string bytes;
    const auto got = connection_.receive(bytes, deadline);
    if (got == TcpConnection::Got::Timeout) return sent ? End::Timeout : End::HungUp;
    if (got == TcpConnection::Got::End) return End::HungUp;
    if (!heard_ && !looks_like_tls(bytes)) return is_fedrk_answer(bytes) ? End::InTheClear : End::NotTls;
    heard_ = true;
    require(BIO_write(in_, bytes.data(), static_cast<int>(bytes.size())) > 0, "out of memory");
  }
}

Conversation::End Conversation::explain(unsigned long why) {
  ERR_clear_error();
  const int code = ERR_GET_REASON(why);
  if (const char* message = ERR_reason_error_string(why); message != nullptr) reason_ = message;
  if (ERR_GET_LIB(why) != ERR_LIB_SSL || code < SSL_AD_REASON_OFFSET) return End::Failure;
  alert_ = code - SSL_AD_REASON_OFFSET;
  return End::Alert;
}

Conversation::End Conversation::shake_hands(Deadline deadline) {
  return drive([&] { return SSL_do_handshake(tls_.get()); }, deadline);
}

Conversation::End Conversation::ask(const std::string& request, std::string& answer, Deadline deadline) {
  const End sent =
      drive([&] { return SSL_write(tls_.get(), request.data(), static_cast<int>(request.size())); }, deadline);
  if (sent != End::Success) return sent;
  std::array<char, 1024> bytes{};
  int count = 0;
  const End end =
      drive([&] { return count = SSL_read(tls_.get(), bytes.data(), static_cast<int>(bytes.size())); }, deadline);
  if (end == End::Success) answer.assign(bytes.data(), static_cast<std::size_t>(count));
  return end;
}

}  // namespace fedrk::security

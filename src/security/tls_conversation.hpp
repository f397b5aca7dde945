// SPDX-License-Identifier: Apache-2.0
#pragma once

// One attempt to talk TLS to a server as a client of the federation, up to the server's first word.

#include <string>

#include "fedrk/security/own_credentials.hpp"
#include "security/openssl.hpp"
#include "security/tcp.hpp"
#include "security/tls_words.hpp"

namespace fedrk::security {

/// Whether these bytes are how a server of HTTP/2 begins: with its settings.
bool begins_http2(const std::string& bytes);

/// What a client believes and shows. Without a certificate it shows none.
TlsContext client_context(const Credentials& credentials);

// The conversation goes through buffers in memory, so that waiting and sending stay in our hands: OpenSSL's own
// sockets would raise SIGPIPE where the server hangs up.
class Conversation {
 public:
  enum class End { Success, Alert, Failure, HungUp, Timeout, NotTls, InTheClear };

  Conversation(SSL_CTX* context, std::string host, TcpConnection connection);
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  End shake_hands(Deadline deadline);
  /// Success: the server said something.
  End listen(Deadline deadline);

  const ServerSeen& seen() const { return seen_; }
  int alert() const { return alert_; }                   // after End::Alert
  const std::string& reason() const { return reason_; }  // OpenSSL's, after End::Failure
  bool heard_anything() const { return heard_; }
  std::string version() const;
  bool speaks_http2() const;

 private:
  template <class Step>
  End drive(Step step, Deadline deadline);
  End explain(unsigned long why);

  Tls tls_;
  TcpConnection connection_;
  BIO* in_ = nullptr;  // both belong to tls_
  BIO* out_ = nullptr;
  ServerSeen seen_;
  int alert_ = 0;
  std::string reason_;
  bool heard_ = false;
};

}  // namespace fedrk::security

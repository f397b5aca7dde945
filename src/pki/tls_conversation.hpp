// SPDX-License-Identifier: Apache-2.0
#pragma once

// One attempt to talk TLS to a server as a client of the federation, up to the server's answer to an upgrade.

#include <string>
#include <string_view>

#include "pki/openssl.hpp"
#include "pki/own_credentials.hpp"
#include "pki/tcp.hpp"
#include "pki/tls_text.hpp"

namespace fedrk::security {

/// What a client of the federation asks for first: to speak WebSocket.
std::string upgrade_request(const std::string& host);
/// Whether a fedrk server answers so to what it was asked, and whether it agrees to speak WebSocket.
bool is_fedrk_answer(std::string_view bytes);
bool is_upgrade(std::string_view bytes);

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
  /// Success: the server said something, which begins with `answer`.
  End ask(const std::string& request, std::string& answer, Deadline deadline);

  const ServerSeen& seen() const { return seen_; }
  int alert() const { return alert_; }                   // after End::Alert
  const std::string& reason() const { return reason_; }  // OpenSSL's, after End::Failure
  bool heard_anything() const { return heard_; }
  std::string version() const;

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

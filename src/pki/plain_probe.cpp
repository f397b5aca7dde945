// SPDX-License-Identifier: Apache-2.0
#include "pki/openssl.hpp"
#include "pki/tcp.hpp"
#include "pki/tls_conversation.hpp"
#include "pki/tls_probe.hpp"

namespace fedrk::security {
namespace {

using Stage = Finding::Stage;
using Got = TcpConnection::Got;

Finding speaks_tls() {
  return {Stage::Handshake, false, "the server speaks TLS, and we do not (--insecure)",
          "leave --insecure away and name certificate, key and ca", true};
}

// A server of TLS may hang up on a greeting in the clear and say nothing. It answers one in TLS, whoever asks.
bool answers_tls(const std::string& host, std::uint16_t port, Deadline deadline) {
  Finding ignored{Stage::Connect, false, "", ""};
  auto connection = TcpConnection::open(host, port, deadline, ignored);
  if (!connection) return false;
  const TlsContext context(require(SSL_CTX_new(TLS_client_method()), "cannot set TLS up"));
  Conversation talk(context.get(), host, *std::move(connection));
  talk.shake_hands(deadline);
  return talk.heard_anything();
}

Finding greet(const std::string& host, std::uint16_t port, TcpConnection connection, Deadline deadline) {
  connection.send(upgrade_request(host), deadline);
  std::string bytes;
  const Got got = connection.receive(bytes, deadline);
  if (got == Got::Timeout) {
    return {Stage::Handshake, false, "the other side accepted the connection but did not answer in time",
            "is this the port of fedrk server? It may also be overloaded: try again"};
  }
  if (got == Got::Bytes && is_upgrade(bytes)) return {Stage::Done, true, "the server answers without TLS", ""};
  const bool alert = got == Got::Bytes && bytes[0] == 21;
  if (alert || (got == Got::End && answers_tls(host, port, deadline))) return speaks_tls();
  return {Stage::Handshake, false,
          got == Got::End ? "the other side hung up at our greeting" : "the other side does not speak WebSocket",
          "is this the port of fedrk server, without a proxy before it?"};
}

}  // namespace

Finding plain_probe(const std::string& host, std::uint16_t port, std::chrono::milliseconds timeout) try {
  const Deadline deadline = std::chrono::steady_clock::now() + timeout;
  Finding finding{Stage::Connect, false, "", ""};
  auto connection = TcpConnection::open(host, port, deadline, finding);
  if (!connection) return finding;
  return greet(host, port, *std::move(connection), deadline);
} catch (const OpensslFailure& failure) {
  return {Stage::Handshake, false, failure.what(), "is this the port of fedrk server?"};
}

}  // namespace fedrk::security

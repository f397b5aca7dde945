// SPDX-License-Identifier: Apache-2.0
#include "pki/tls_probe.hpp"

#include <charconv>
#include <chrono>
#include <optional>

#include <fmt/format.h>

#include "base/shown.hpp"
#include "pki/openssl.hpp"
#include "pki/tcp.hpp"
#include "pki/tls_conversation.hpp"
#include "pki/tls_text.hpp"

namespace fedrk::security {
namespace {

using Stage = Finding::Stage;
using End = Conversation::End;
using Got = TcpConnection::Got;

Finding hung_up(const Conversation& talk, const Credentials& ours) {
  if (talk.seen().looked) {
    if (const int alert = alert_to_expect(ours, now()); alert != 0) return alert_finding(alert);
    return {Stage::Certificate, false, "the server hung up when it had seen our certificate, and gave no reason",
            "its clock or its ca.crt may differ from ours: ask the operator what the server's log says"};
  }
  return {Stage::Handshake, false, "the other side hung up at our greeting",
          talk.heard_anything() ? "ask the operator what the server's log says"
                                : "is this the port of fedrk server, without a proxy before it?"};
}

Finding failure(const std::string& host, const Conversation& talk, End end, const Credentials& ours) {
  switch (end) {
    case End::Alert:
      return alert_finding(talk.alert());
    case End::HungUp:
      return hung_up(talk, ours);
    case End::InTheClear:
      return {Stage::Handshake, false, "the server speaks without TLS: it was started with --insecure",
              "have it started with its certificate, or, for a test, give --insecure here too", true};
    case End::NotTls:
      return {Stage::Handshake, false, "the other side does not speak TLS",
              "is this the port of fedrk server, without a proxy before it?"};
    case End::Timeout:
      return {Stage::Handshake, false, "the other side accepted the connection but did not answer in time",
              "is this the port of fedrk server? It may also be overloaded: try again"};
    default:
      break;
  }
  if (talk.seen().error != 0) {
    const auto authority = read_certificate(ours.ca);
    return disbelief(host, talk.seen(), authority ? authority->common_name : "?", now());
  }
  return {Stage::Handshake, false, fmt::format("the handshake failed: {}", talk.reason()),
          "is this the port of fedrk server?"};
}

Finding converse(const std::string& host, const Credentials& credentials, Deadline deadline, TcpConnection connection) {
  const TlsContext context = client_context(credentials);
  Conversation talk(context.get(), host, std::move(connection));
  if (const End end = talk.shake_hands(deadline); end != End::Success) return failure(host, talk, end, credentials);
  // In TLS 1.3 our side is done before the server has looked at our certificate: its answer says that it agrees.
  std::string answer;
  const End end = talk.ask(upgrade_request(host), answer, deadline);
  if (end != End::Success && end != End::Timeout) return failure(host, talk, end, credentials);
  if (end == End::Success && !is_upgrade(answer)) {
    return {Stage::Handshake, false, "the server speaks TLS, but is no fedrk server",
            "is this the port of fedrk server, without a web server or proxy before it?"};
  }
  const auto& facts = talk.seen().facts;
  const std::string until =
      facts ? fmt::format(", its certificate is valid until {}", moment_text(facts->not_after)) : "";
  if (end == End::Timeout) {
    return {Stage::Done, false, fmt::format("the handshake was made ({}), but the server says nothing", talk.version()),
            "it may be overloaded: try again"};
  }
  return {Stage::Done, true, fmt::format("{} with the server{}", talk.version(), until), ""};
}

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

std::string to_text(Finding::Stage stage) {
  switch (stage) {
    case Stage::Resolve:
      return "resolve";
    case Stage::Connect:
      return "connect";
    case Stage::Handshake:
      return "handshake";
    case Stage::Certificate:
      return "certificate";
    case Stage::Done:
      break;
  }
  return "done";
}

Finding tls_probe(const std::string& host, std::uint16_t port, const Credentials& credentials,
                  std::chrono::milliseconds timeout) try {
  const Deadline deadline = std::chrono::steady_clock::now() + timeout;
  Finding finding{Stage::Connect, false, "", ""};
  auto connection = TcpConnection::open(host, port, deadline, finding);
  if (!connection) return finding;
  return converse(host, credentials, deadline, *std::move(connection));
} catch (const OpensslFailure& failure) {
  return {Stage::Certificate, false, failure.what(), "look at the certificate, key and ca files: fedrk check", true};
}

Result<HostAndPort> parse_host_and_port(const std::string& text, unsigned min_port) {
  const Error error{
      fmt::format("{}: expected HOST:PORT, as in server.example.org:7443 or [::1]:7443", io::shown(text))};
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) return error;
  std::string host = text.substr(0, colon);
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (!bracketed && host.find(':') != std::string::npos) return error;
  const char *first = text.data() + colon + 1, *last = text.data() + text.size();
  unsigned port = 0;
  const auto [end, failed] = std::from_chars(first, last, port);
  if (failed != std::errc() || end != last || port < min_port || port > 65535) return error;
  return HostAndPort{host, static_cast<std::uint16_t>(port)};
}

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

// SPDX-License-Identifier: Apache-2.0
#pragma once

// Why a secured connection does not come about: goes the client's way step by step (name, port, handshake,
// certificates, upgrade to WebSocket) and says in words at which one it ended.

#include <chrono>
#include <cstdint>
#include <string>

#include "pki/own_credentials.hpp"

namespace fedrk::security {

struct Finding {
  enum class Stage {
    Resolve,      // the host name
    Connect,      // the port
    Handshake,    // TLS
    Certificate,  // the server's, or ours in the server's eyes
    Done,
  };
  Stage stage;
  bool ok;
  std::string message;
  std::string advice;    // what to do about it; empty where all is well
  bool lasting = false;  // it will be so at the next attempt, unless somebody mends it
};

std::string to_text(Finding::Stage stage);

/// Connects as a client of the federation, offers the client certificate, asks to speak WebSocket and hangs up. Takes
/// at most about `timeout`, save that looking up a name takes the time the system allows it.
Finding tls_probe(const std::string& host, std::uint16_t port, const Credentials& credentials,
                  std::chrono::milliseconds timeout);

/// The same for a client without TLS: whether a fedrk server answers in the clear.
Finding plain_probe(const std::string& host, std::uint16_t port, std::chrono::milliseconds timeout);

struct HostAndPort {
  std::string host;
  std::uint16_t port;
};

/// "server.example.org:7443", "[::1]:7443"; with `min_port` 0 also "127.0.0.1:0", to listen at any port that is free.
Result<HostAndPort> parse_host_and_port(const std::string& text, unsigned min_port = 1);

}  // namespace fedrk::security

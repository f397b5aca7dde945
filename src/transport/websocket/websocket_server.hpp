// SPDX-License-Identifier: Apache-2.0
#pragma once

// The server's sockets: WebSocket connections on one side, a SynchronizedProtocol on the other.
//
// One thread serves all connections, so a thousand idle clients cost no thread. What is to be sent is encoded by the
// thread that sends it and handed over.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "fedrk/tls_files.hpp"
#include "ops/log.hpp"
#include "plan/server_options.hpp"
#include "transport/protocol/synchronized_protocol.hpp"

namespace fedrk::network {

struct WebSocketServerOptions {
  std::string listen = "0.0.0.0:7443";
  std::optional<TlsFiles> tls;                      // none: anybody may connect and read along
  std::size_t memory_limit = std::size_t{2} << 30;  // bytes of messages that are arriving
};

class WebSocketServer {
 public:
  static Result<std::unique_ptr<WebSocketServer>> open(const WebSocketServerOptions& options,
                                                       FederationOptions federation, operation::Log& log);
  /// Connections that are still open are cut.
  ~WebSocketServer();

  SynchronizedProtocol& protocol();
  int port() const;

 private:
  class Impl;
  explicit WebSocketServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace fedrk::network

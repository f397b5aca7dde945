// SPDX-License-Identifier: Apache-2.0
#pragma once

// One client's connection at the server, from its first byte to its end: TLS handshake, upgrade to WebSocket, messages,
// close. All calls and all events are on the thread of the server's io_context. Waits have no limits here: the server
// looks at the age of its connections now and then, and cuts them.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "transport/protocol/server_protocol.hpp"
#include "transport/websocket/asio_types.hpp"
#include "transport/websocket/tls_context.hpp"

namespace fedrk::network {

/// Whom connections report to.
class ConnectionEvents {
 public:
  virtual ~ConnectionEvents() = default;
  virtual void on_open(ConnectionId id, Peer peer) = 0;
  virtual void on_chunk(ConnectionId id, std::string_view chunk) = 0;
  /// Bytes of a message that is not whole yet; negative when they are released. False: there is no room for more.
  virtual bool on_buffered(std::ptrdiff_t bytes) = 0;
  /// The handshake ("tls.refused") or the upgrade ("upgrade.refused") failed. The socket is handed back, so that the
  /// other side can be given time to read why.
  virtual void on_refused(ConnectionId id, Socket socket, std::string_view event, const std::string& reason) = 0;
  /// It broke a rule of the transport, and is closed for it.
  virtual void on_violation(ConnectionId id, const std::string& reason) = 0;
  /// It is gone; nothing follows. Not after `on_refused`.
  virtual void on_gone(ConnectionId id) = 0;
};

class Connection {
 public:
  virtual ~Connection() = default;
  virtual void start() = 0;
  virtual void send(OutgoingMessage message) = 0;
  /// After what was sent before.
  virtual void close(Closing why, std::string reason) = 0;
  /// At once.
  virtual void cut() = 0;
};

struct ConnectionLimits {
  std::size_t largest_message = 4 << 20;
  std::size_t largest_hello = 64 << 10;  // until the first answer, which says that the client was accepted
};

/// Without a context there is no TLS. `events` must outlive it.
std::shared_ptr<Connection> make_connection(ConnectionId id, Socket socket, SSL_CTX* tls,
                                            const ConnectionLimits& limits, ConnectionEvents& events);

}  // namespace fedrk::network

// SPDX-License-Identifier: Apache-2.0
#pragma once

// Who comes to the server's port, up to the moment it has spoken. Anybody can connect, so what an unknown peer costs is
// bounded: a socket until its first byte, and of those so many; an old silent one makes room for the next (crowd.hpp).
// A lack of descriptors pauses accepting and ends nothing.

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "plan/server_options.hpp"
#include "transport/protocol/server_protocol.hpp"
#include "transport/websocket/asio_types.hpp"
#include "transport/websocket/crowd.hpp"
#include "transport/websocket/handshake_log.hpp"

namespace fedrk::network {

class Admission {
 public:
  /// `spoke` gets each socket whose peer has sent something.
  using Spoke = std::function<void(ConnectionId, Socket)>;
  /// All clients may come at once, and so many strangers with them.
  Admission(asio::io_context& context, HandshakeLog& log, std::size_t clients, Spoke spoke);

  Result<void> listen(const std::string& address);
  int port() const { return port_; }
  void start() { accept_next(); }
  void stop();

  /// Sends nothing more and discards what still comes, for a moment: a socket that is closed with unread bytes resets
  /// the connection, and the peer would lose what it was told last.
  void drain(ConnectionId id, Socket socket);
  /// Closes those who have taken longer than this.
  void sweep(Milliseconds silent_limit);

 private:
  struct Waiting {
    Socket socket;
    Clock::time_point since;
    std::size_t bytes = 0;  // discarded
  };
  using Sockets = std::map<ConnectionId, Waiting>;  // the oldest first

  void accept_next();
  void on_accepted(Socket socket);
  void on_no_descriptor(const std::string& reason);
  void discard(ConnectionId id);
  void forget_silent(ConnectionId id);
  void forget_all();

  asio::io_context& context_;
  HandshakeLog& log_;
  std::size_t max_silent_;
  Spoke spoke_;
  Acceptor acceptor_;
  Timer pause_;
  bool short_of_descriptors_ = false;
  int port_ = 0;
  ConnectionId last_id_ = 0;
  Sockets silent_, draining_;
  Crowd silent_crowd_;
  std::vector<char> discarded_;
};

}  // namespace fedrk::network

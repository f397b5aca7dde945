// SPDX-License-Identifier: Apache-2.0
#pragma once

// A client's one connection to its server.

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "fedrk/tls_files.hpp"
#include "plan/server_options.hpp"
#include "transport/protocol/chunks.hpp"

namespace fedrk::network {

/// How a connection ended, and what follows.
struct LinkEnd {
  enum class Kind {
    Closed,       // in order
    Denied,       // the server does not want this client: no use in coming back
    Unreachable,  // never got through: wrong address, server not up, or no agreement on certificates
    Lost,         // it broke, or the server asked to come back later
  };
  Kind kind = Kind::Closed;
  std::string message;
};

class ServerLink {
 public:
  virtual ~ServerLink() = default;
  /// Any thread, one at a time. False: the connection is gone.
  virtual bool write(const wire::Chunk& chunk) = 0;
  /// One thread. A chunk with its first byte, which stays until the next call; nothing: the connection is gone.
  virtual std::optional<std::string_view> read() = 0;
  /// From any thread: reading and writing end soon.
  virtual void cancel() = 0;
  /// After reading ended.
  virtual LinkEnd finish() = 0;
};

struct LinkOptions {
  std::string server;           // host:port
  std::optional<TlsFiles> tls;  // none: in the clear
  Milliseconds connect_limit{5'000};
  Milliseconds heartbeat{2'000};  // for keepalive
  std::size_t largest_message = 4 << 20;
};

/// Does not wait for the connection: whether it came about shows when it is used.
Result<std::unique_ptr<ServerLink>> connect(const LinkOptions& options);

}  // namespace fedrk::network

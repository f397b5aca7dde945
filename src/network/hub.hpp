// SPDX-License-Identifier: Apache-2.0
#pragma once

// The server's sockets: gRPC streams on one side, a Switchboard on the other.
//
// One thread of the hub's own reads all streams, so a thousand idle clients cost no thread. Whoever sends writes at
// once where the stream is free; what must wait goes on when the thread sees that the write before it is done.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "fedrk/base/result.hpp"
#include "fedrk/network/server_options.hpp"
#include "fedrk/network/tls_files.hpp"
#include "fedrk/operation/log.hpp"
#include "network/switchboard.hpp"

namespace fedrk::network {

struct HubOptions {
  std::string listen = "0.0.0.0:7443";
  std::optional<TlsFiles> tls;                      // none: anybody may connect and read along
  std::size_t memory_limit = std::size_t{2} << 30;  // bytes that connections may take
};

class Hub {
 public:
  static Result<std::unique_ptr<Hub>> open(const HubOptions& options, FederationOptions federation,
                                           operation::Log& log);
  /// Connections that are still open are cut.
  ~Hub();

  Switchboard& switchboard();
  int port() const;

 private:
  class Streams;
  explicit Hub(std::unique_ptr<Streams> streams);
  std::unique_ptr<Streams> streams_;
};

}  // namespace fedrk::network

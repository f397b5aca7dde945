// SPDX-License-Identifier: Apache-2.0
#pragma once

// The server of a federation: waits for its clients, agrees with them on columns and scales, and is then an Engine like
// any other.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "fedrk/engine.hpp"
#include "fedrk/history.hpp"
#include "fedrk/tls_files.hpp"
#include "ops/log.hpp"
#include "plan/federation.hpp"
#include "plan/server_options.hpp"

namespace fedrk::network {

struct ServerOptions {
  std::string listen = "0.0.0.0:7443";              // port 0: any that is free
  std::optional<TlsFiles> tls;                      // none: anybody may connect and read along
  std::size_t memory_limit = std::size_t{2} << 30;  // bytes that connections may take
  FederationOptions federation;
};

/// All clients with their rows ready.
struct Gathered {
  io::Problem problem;
  std::vector<ClientSummary> roster;
  std::vector<std::string> known_draws;  // whose draws the server could repeat
  Allowance allowance{};                 // what the clients' rules let sums show
  std::string stored;                    // to be kept for a restart
};

/// The names in what was stored; none where it is damaged.
std::vector<std::string> stored_clients(const std::string& stored);

class FederationServer {
 public:
  static Result<std::unique_ptr<FederationServer>> open(ServerOptions options, operation::Log& log);
  ~FederationServer();

  int port() const;

  /// With what an earlier process stored, a run goes on: the clients must be as they were. Throws RunAborted after
  /// `interrupt`.
  Result<Gathered> gather(const std::string& stored = {});

  /// REQUIRES: all are gathered. Tasks are numbered from `first_task`.
  Engine& engine(std::uint64_t first_task = 0);

  /// The last word to everyone; connections are then closed. `final` false: the server may come back to this run.
  struct LastWord {
    std::string status, reason;
    bool final = true;
    std::vector<std::string> names{};
    std::vector<double> coefficients{};
  };
  void end(const LastWord& word);

  /// From any thread: whoever waits for clients gets RunAborted.
  void interrupt(Termination why, std::string reason);

  std::vector<ClientStatus> status() const;

 private:
  struct Impl;
  explicit FederationServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace fedrk::network

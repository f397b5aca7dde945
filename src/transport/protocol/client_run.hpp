// SPDX-License-Identifier: Apache-2.0
#pragma once

// A client's part in a run, from its start to the end of the run: connects, comes back after every break, waits for a
// server that is not up yet, and gives up when that takes too long.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "fedrk/tls_files.hpp"
#include "ops/log.hpp"
#include "plan/server_options.hpp"
#include "secure_sum/replay_guard.hpp"
#include "transport/protocol/consent_site.hpp"
#include "transport/protocol/data_owner.hpp"

namespace fedrk::network {

/// What is wrong with the way to the server, found out by other means than the connection itself.
struct Diagnosis {
  std::string message;    // empty: nothing was found
  bool hopeless = false;  // waiting will not mend it
};

class ServerLink;

struct ClientRunOptions {
  std::string server;  // host:port
  std::string name;
  std::string software;
  std::optional<TlsFiles> tls;  // none: in the clear
  ConsentOptions consent{};
  store::ReplayGuard* guard = nullptr;        // what it must remember of masked runs; none: for as long as this lives
  store::DisclosureLedger* ledger = nullptr;  // what sums have shown of its table; the same
  Milliseconds wait_limit{600'000};           // for a server that cannot be reached
  Milliseconds max_retry{2'000};              // between attempts; the first come sooner
  std::size_t largest_message = 4 << 20;
  std::function<Diagnosis()> diagnose{};                             // asked where the server cannot be reached
  std::function<Result<std::unique_ptr<ServerLink>>()> connector{};  // empty: over the network
};

struct ClientOutcome {
  enum class Kind {
    Ended,    // the run is over
    Refused,  // this client may not take part, or cannot as it is
    GaveUp,   // the server could not be reached for too long
    Stopped,  // by `stop`
  };
  Kind kind = Kind::Stopped;
  std::string message;
  std::string status;  // of the run, where it ended
  std::vector<std::string> names;
  std::vector<double> coefficients;
};

class ClientRun {
 public:
  ClientRun(ClientRunOptions options, DataOwner& owner, operation::Log& log);
  ~ClientRun();

  ClientOutcome run();
  /// From another thread: `run` returns soon, after the work at hand.
  void stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fedrk::network

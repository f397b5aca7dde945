// SPDX-License-Identifier: Apache-2.0
#pragma once

// A server and its clients as processes of this machine, each client behind a network of its own that can fail.
//
//     Federation federation(kit);
//     federation.start_server();
//     for (std::size_t i = 0; i < kit.clients(); ++i) federation.start_client(i);
//     EXPECT_EQ(federation.server().wait(30s), 0) << federation.story();
//     EXPECT_EQ(federation.solution(), kit.expected());

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "support/chaos_proxy.hpp"
#include "support/process.hpp"
#include "support/startup_kit.hpp"

namespace fedrk::test {

/// Whether the program has the commands of a federation.
bool has_federation();

class Federation {
 public:
  explicit Federation(const StartupKit& kit);

  /// Starts it, or starts it again behind what an earlier one left, and waits until it listens. Throws if it does not.
  void start_server(const std::vector<std::string>& flags = {});
  void start_client(std::size_t client, const std::vector<std::string>& flags = {});

  /// REQUIRES: started before.
  Process& server() { return *server_; }
  Process& client(std::size_t index) { return *clients_.at(index); }
  ChaosProxy& network(std::size_t client) { return networks_.at(client); }

  bool server_runs() { return server_ && server_->running(); }
  bool client_runs(std::size_t index) { return clients_.at(index) && clients_.at(index)->running(); }
  std::size_t clients() const { return clients_.size(); }

  /// The newest round that the server has told of, in its present life or an earlier one.
  std::size_t round() const;

  std::string solution() const { return folder_.read("server/runs/federation/solution.csv"); }
  std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }

  /// The last words of everybody, for the message of a failed test.
  std::string story() const;

 private:
  TempFolder folder_, streams_;
  std::optional<Process> server_;
  std::vector<std::optional<Process>> clients_;
  std::deque<ChaosProxy> networks_;
};

}  // namespace fedrk::test

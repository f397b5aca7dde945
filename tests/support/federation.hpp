// SPDX-License-Identifier: Apache-2.0
#pragma once

// A server and its clients as processes of this machine, each client behind a network of its own that can fail.
//
//     Federation federation(kit);
//     federation.start_all();
//     EXPECT_EQ(federation.server().wait(30s), 0) << federation.story();
//     EXPECT_EQ(federation.solution(), kit.expected());

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/chaos_proxy.hpp"
#include "support/process.hpp"
#include "support/startup_kit.hpp"

namespace fedrk::test {

using Arguments = std::vector<std::string>;

/// Limits that no disturbance of a test reaches, with heartbeats as quick as tests are.
Arguments patient_limits();

class Federation {
 public:
  /// Whoever is started is started with these flags.
  explicit Federation(const StartupKit& kit, Arguments server_flags = patient_limits(),
                      Arguments client_flags = {"--wait", "30"});
  /// What another one left in its folder, with as many clients.
  explicit Federation(const Federation& other);
  Federation& operator=(const Federation&) = delete;

  /// From its next start on.
  void set_server_flags(Arguments flags) { server_flags_ = std::move(flags); }

  /// How a server that has ended comes back.
  enum class Start { SameCommand, Resume };

  /// Puts these entries into the server's plan, each a line of TOML, in place of those that it has.
  void change_plan(const std::string& entries) const;

  /// Waits until it listens. Throws if it does not. With `before`, through a command that runs a command.
  void start_server(Start how = Start::SameCommand, const Arguments& before = {});
  void start_client(std::size_t client);
  void start_all();

  /// Where a client finds the server: its end of a network that can fail.
  std::string address_for(std::size_t client) const;
  std::uint16_t port() const { return port_; }

  /// REQUIRES: started before.
  Process& server() { return *server_; }
  Process& client(std::size_t index) { return *clients_.at(index); }
  ChaosProxy& network(std::size_t client) { return networks_.at(client); }

  bool server_runs() { return server_ && server_->running(); }
  bool client_runs(std::size_t index) { return clients_.at(index) && clients_.at(index)->running(); }
  bool client_started(std::size_t index) const { return clients_.at(index).has_value(); }
  std::size_t clients() const { return clients_.size(); }

  /// The newest round that the server has told of, in its present life or an earlier one.
  std::size_t round() const;

  /// `fedrk COMMAND runs/federation FLAGS` beside the server.
  Outcome command(const std::string& name, const Arguments& flags = {}) const;

  /// "running", "finished:completed", ...: what run.db says.
  std::string state() const;

  std::string solution() const { return result("solution.csv"); }
  /// As this client was told it; empty where it was not.
  std::string client_solution(std::size_t client) const {
    return folder_.read(site_name(client) + "/state/solution.csv");
  }
  std::string history() const { return result("history.csv"); }
  std::string result(const std::string& file) const { return folder_.read("server/runs/federation/" + file); }
  std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }

  /// The last words of everybody, for the message of a failed test.
  std::string story() const;

 private:
  TempFolder folder_, streams_;
  Arguments server_flags_, client_flags_;
  std::uint16_t port_ = 0;
  std::optional<Process> server_;
  std::vector<std::optional<Process>> clients_;
  std::deque<ChaosProxy> networks_;
};

}  // namespace fedrk::test

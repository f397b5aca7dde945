// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the files client.toml and server.toml say, and the flags that win over them. docs/federation.md lists the
// entries.

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fedrk/tls_files.hpp"
#include "ops/log.hpp"
#include "plan/options.hpp"
#include "plan/plan.hpp"
#include "plan/server_options.hpp"
#include "secure_sum/disclosure.hpp"
#include "transport/protocol/file_owner.hpp"

namespace fedrk::network {

struct LogSettings {
  operation::LogFormat format = operation::LogFormat::Text;
  operation::LogLevel level = operation::LogLevel::Info;
};

struct ClientSettings {
  std::string server;  // host:port
  std::string name;
  TlsFiles tls;
  bool insecure = false;
  OwnFiles files;
  std::string state = "state";
  std::string ledger;           // folder of the privacy ledger; empty: `state`
  bool known_draws = false;     // from the plan's seed, as in one process
  bool reveal_updates = false;  // takes part where the server sees single updates
  bool expose_rows = false;     // also where one update shows a row outright
  std::size_t min_sum = 3;      // clients in a masked sum, at least; 0: all of the run
  std::size_t min_rows = network::DisclosureRules{}.min_rows;
  double max_share = network::DisclosureRules{}.max_share;
  std::vector<std::string> left;  // clients that take part no more
  double privacy_epsilon = 0.0;   // the most that these rows may ever give away, over all runs; 0: no bound
  double privacy_delta = 1e-6;
  double wait = 600.0;                                                       // seconds
  std::size_t largest_message = 4 << 20, max_vector = std::size_t{1} << 30;  // bytes
  LogSettings log;

  DisclosureRules rules() const { return {std::max<std::size_t>(3, min_sum), min_rows, max_share, left}; }
};

struct ServerSettings {
  std::string listen = "0.0.0.0:7443";
  TlsFiles tls;
  std::string crl;
  bool insecure = false;
  std::vector<std::string> clients;
  std::string plan;
  std::string out;
  std::string metrics;       // address of the endpoint for health and metrics; empty: none
  bool unmasked = false;     // parts of sums come in the clear
  bool expose_rows = false;  // as for clients
  std::size_t min_sum = 3, quorum = 0;
  double join_limit = 600.0, reply_limit = 300.0, away_limit = 30.0, heartbeat = 2.0;  // seconds
  std::size_t largest_message = 4 << 20;                                               // bytes
  LogSettings log;
};

std::span<const io::Option<ClientSettings>> client_options();
std::span<const io::Option<ServerSettings>> server_options();

/// An entry of earlier versions, and what to do without it.
struct RemovedOption {
  std::string_view name, reason;
};
std::span<const RemovedOption> removed_server_options();

/// What a file says. Everything else lies in its folder, also what it does not name.
Result<ClientSettings> read_client_settings(const std::filesystem::path& file);
Result<ServerSettings> read_server_settings(const std::filesystem::path& file);

/// Whether a file has entries of a server rather than of a client, as far as it can be read.
bool is_server_file(const std::filesystem::path& file);

/// What is missing or does not go together, if anything.
Result<void> check(const ClientSettings& settings);
Result<void> check(const ServerSettings& settings);

/// The plan that the settings name, without its files: the rows are with the clients, and so is how they are split.
struct ServerPlan {
  io::Plan plan;
  std::string left_out;  // which entries had to go, as a sentence; empty: none
};
Result<ServerPlan> read_server_plan(const ServerSettings& settings);

/// Whether sums are masked: the server sees nothing else.
bool is_masked(const ServerSettings& settings, const io::Plan& plan);

/// An error where a plan would give away what nobody asked for, or cannot be masked.
Result<void> check_privacy(const ServerSettings& settings, const io::Plan& plan);

}  // namespace fedrk::network

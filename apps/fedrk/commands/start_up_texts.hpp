// SPDX-License-Identifier: Apache-2.0
#pragma once

// The texts in the start-up folders of a federation: settings, a plan to begin with, and three lines for whoever opens
// the folder.

#include <cstdint>
#include <string>
#include <vector>

namespace fedrk::app {

/// What all folders agree on.
struct FederationFacts {
  std::vector<std::string> hosts;  // of the server; clients use the first
  std::uint16_t port = 7443;
  std::string draws = "secret";
};

/// "server.example.org:7443", "[::1]:7443"
std::string server_address(const FederationFacts& facts);

std::string client_toml(const FederationFacts& facts, const std::string& name);
std::string server_toml(const FederationFacts& facts, const std::vector<std::string>& clients);
std::string sample_plan();
std::string client_readme(const FederationFacts& facts, const std::string& name);
std::string server_readme(const FederationFacts& facts);
std::string authority_readme();

/// `text`, the server's settings, with this client in its list; empty where the list cannot be found or changed.
std::string with_client(const std::string& text, const std::string& name);

}  // namespace fedrk::app

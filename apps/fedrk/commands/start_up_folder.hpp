// SPDX-License-Identifier: Apache-2.0
#pragma once

// Folders to hand over: settings, a plan to begin with, three lines for whoever opens the folder, and secrets that
// nobody else can read at any time.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "pki/authority.hpp"

namespace fedrk::app {

/// What all folders agree on.
struct FederationFacts {
  std::vector<std::string> hosts;  // of the server; clients use the first
  std::uint16_t port = 7443;
  std::string draws = "secret";
};

/// "server.example.org:7443", "[::1]:7443"
std::string server_address(const FederationFacts& facts);

std::string authority_readme();

/// `text`, the server's settings, with this client in its list; empty where the list cannot be found or changed.
std::string with_client(const std::string& text, const std::string& name);

struct StartUpFile {
  std::string name, content;
  bool is_secret = false;
};

Result<void> write_files(const std::filesystem::path& folder, const std::vector<StartUpFile>& files);

/// Renames a folder; an error where the new name is taken by one that is not empty.
Result<void> rename_folder(const std::filesystem::path& from, const std::filesystem::path& to);

/// A folder that others see only when everything is in it.
Result<void> make_start_up_folder(const std::filesystem::path& folder, const std::vector<StartUpFile>& files);

std::vector<StartUpFile> client_files(const security::Identity& identity, const std::string& ca,
                                      const FederationFacts& facts, const std::string& name);

/// Without a plan there is a sample.
std::vector<StartUpFile> server_files(const security::Identity& identity, const std::string& ca, const std::string& crl,
                                      const FederationFacts& facts, const std::vector<std::string>& clients,
                                      const std::string& plan = {});

}  // namespace fedrk::app

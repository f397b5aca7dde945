// SPDX-License-Identifier: Apache-2.0
#pragma once

// client.toml and server.toml as far as `fedrk check` looks at them. Paths are resolved against the file's folder.

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "fedrk/base/result.hpp"
#include "fedrk/security/own_credentials.hpp"

namespace fedrk::app {

struct ClientStartUp {
  std::string server, name;
  security::CredentialFiles credentials;
  std::filesystem::path data;         // a table,
  std::filesystem::path matrix, rhs;  // or these two
  std::filesystem::path state;
  std::string draws = "secret";
};

struct ServerStartUp {
  std::string listen;
  security::CredentialFiles credentials;
  std::filesystem::path crl, plan, out;
  std::vector<std::string> clients;
};

/// A file with `listen` is a server's.
Result<std::variant<ClientStartUp, ServerStartUp>> read_start_up(const std::filesystem::path& path);

}  // namespace fedrk::app

// SPDX-License-Identifier: Apache-2.0
#pragma once

// What `fedrk check` finds, one line each: all of it, rather than the first thing that is wrong.

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "pki/own_credentials.hpp"
#include "plan/settings.hpp"

namespace fedrk::app {

struct CheckLine {
  enum class Level { Fine, Warning, Bad };
  Level level;
  std::string about, message;
  std::string advice;  // empty where it is fine
};
using CheckLines = std::vector<CheckLine>;

struct CheckOptions {
  std::string plan, target;
  std::vector<std::string> ignore;
  bool offline = false;
  std::chrono::milliseconds timeout{10000};
};

CheckLines check_client(const network::ClientSettings& settings, const CheckOptions& options);
CheckLines check_server(const network::ServerSettings& settings);

/// The participant's certificate, key and authority, and whether the clock can be right. `insecure`: it goes without.
void check_credentials(const network::TlsFiles& tls, bool insecure, security::Role role, const std::string& name,
                       CheckLines& lines);

/// Whether a folder can be written into, or made, and has room.
void check_folder(const std::string& about, const std::filesystem::path& folder, CheckLines& lines);

}  // namespace fedrk::app

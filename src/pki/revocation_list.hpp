// SPDX-License-Identifier: Apache-2.0
#pragma once

// The revocation list of a running server: a file that may be replaced at any time.

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <unordered_map>

#include "base/result.hpp"
#include "pki/moment.hpp"

namespace fedrk::security {

class RevocationList {
 public:
  /// Reads the list, which the authority with this certificate (PEM) must have signed.
  static Result<RevocationList> open(std::filesystem::path crl, std::string ca);

  /// Why the holder of this certificate (PEM) may not join; empty where it may. Looks at the file again when it has
  /// changed. While that cannot be read, the list stays as it was. Asked again and again it costs next to nothing.
  std::string veto(const std::string& certificate);

 private:
  RevocationList(std::filesystem::path path, std::string ca) : path_(std::move(path)), ca_(std::move(ca)) {}
  Result<void> read();
  std::string judge(const std::string& certificate) const;

  std::filesystem::path path_;
  std::string ca_;
  std::filesystem::file_time_type changed_{};
  std::map<std::string, Moment> revoked_;  // by serial
  std::chrono::steady_clock::time_point looked_{};
  std::unordered_map<std::string, std::string> judged_;  // by certificate
};

}  // namespace fedrk::security

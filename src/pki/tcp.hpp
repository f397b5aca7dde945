// SPDX-License-Identifier: Apache-2.0
#pragma once

// A connection whose every wait ends in time, and whose failures are words.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pki/tls_probe.hpp"

namespace fedrk::security {

using Deadline = std::chrono::steady_clock::time_point;

class TcpConnection {
 public:
  /// Tries the addresses of the host in turn. On failure `finding` says why, and the result is empty.
  static std::optional<TcpConnection> open(const std::string& host, std::uint16_t port, Deadline deadline,
                                           Finding& finding);

  TcpConnection(TcpConnection&& other) noexcept;
  TcpConnection& operator=(TcpConnection&&) = delete;
  ~TcpConnection();

  enum class Got { Bytes, End, Timeout };

  /// Adds what arrives to `bytes`; a connection that breaks counts as ended.
  Got receive(std::string& bytes, Deadline deadline);

  /// False where the connection broke or the time was up.
  bool send(std::string_view bytes, Deadline deadline);

 private:
  explicit TcpConnection(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

}  // namespace fedrk::security

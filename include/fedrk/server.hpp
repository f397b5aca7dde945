// SPDX-License-Identifier: Apache-2.0
#pragma once

// A fit over a network, from within a program: this end adds up what the clients (client.hpp) send. `fedrk server` is
// the same as a service, with a journal on disk and settings for those who operate it. Link fedrk::federation.

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fedrk/fit.hpp"
#include "fedrk/tls_files.hpp"

namespace fedrk {

struct FitServerSettings {
  std::string listen = "127.0.0.1:0";      // host:port; port 0: any that is free
  std::optional<network::TlsFiles> tls{};  // none: anybody who reaches the port may join and read along
  bool masked = true;                      // the server sees sums over three or more clients, and no single one's part
  std::chrono::seconds join_limit{600};    // for the clients to come
  FitSettings fit{};
};

class FitServer {
 public:
  /// Listens from now on. The formula is "y ~ .", with columns and the intercept left out as in `fit`; `clients` are
  /// the names of those who may join. Throws InvalidArgument, and InvalidData where it cannot listen.
  FitServer(std::string_view formula, std::vector<std::string> clients, const FitServerSettings& settings = {});
  ~FitServer();

  int port() const;

  /// Waits for all clients, fits, and tells them the coefficients. Once. Throws InvalidData where clients stay away or
  /// their tables do not fit each other.
  Fit run();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fedrk

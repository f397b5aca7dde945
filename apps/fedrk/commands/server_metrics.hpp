// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a running server shows of itself on /healthz and /metrics.

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "fedrk/run.hpp"
#include "ops/http_endpoint.hpp"
#include "ops/metrics.hpp"
#include "transport/protocol/federation_server.hpp"

namespace fedrk::app {

class ServerMetrics final : public RoundObserver {
 public:
  explicit ServerMetrics(const network::FederationServer& server) : server_(server) {}

  void on_round(const RoundRecord& record, std::span<const double> x) override;
  /// "gathering", "running", "ended".
  void set_phase(std::string phase);

  std::vector<operation::Metric> metrics() const;
  /// What is wrong, or nothing.
  std::optional<std::string> trouble() const;

 private:
  const network::FederationServer& server_;
  mutable std::mutex mutex_;
  std::string phase_ = "gathering";
  double rounds_ = 0.0, absences_ = 0.0, bytes_up_ = 0.0, bytes_down_ = 0.0, seconds_ = 0.0;
  std::optional<double> residual_;
};

}  // namespace fedrk::app

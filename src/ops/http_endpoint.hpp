// SPDX-License-Identifier: Apache-2.0
#pragma once

// Two pages about a running server, for those who watch it: GET /healthz and GET /metrics. They hold no data and ask
// for no password, so they belong on a local address.
//
//     auto endpoint = HttpEndpoint::start({.port = 9464}, health, metrics);
//     if (!endpoint) return endpoint.error();
//
// Whoever connects may be slow or hostile: a connection is one request of some kilobytes, answered within two seconds
// or closed, and of many at one time the oldest gives way.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "ops/metrics.hpp"

namespace fedrk::operation {

/// What is wrong, or nothing where all is well.
using HealthSource = std::function<std::optional<std::string>()>;
using MetricsSource = std::function<std::vector<Metric>()>;

struct EndpointOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  // 0 takes a free one
};

class HttpEndpoint {
 public:
  /// Serves from a thread of its own until it is destroyed, which takes less than a second. The sources are asked from
  /// that thread, at any time.
  static Result<std::unique_ptr<HttpEndpoint>> start(const EndpointOptions& options, HealthSource health,
                                                     MetricsSource metrics);
  HttpEndpoint(const HttpEndpoint&) = delete;
  HttpEndpoint& operator=(const HttpEndpoint&) = delete;
  ~HttpEndpoint();

  std::uint16_t port() const;

 private:
  class Impl;
  explicit HttpEndpoint(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace fedrk::operation

// SPDX-License-Identifier: Apache-2.0
#pragma once

// Numbers about a running server, as Prometheus reads them (text format 0.0.4):
//
//     # HELP fedrk_replies_total Replies accepted.
//     # TYPE fedrk_replies_total counter
//     fedrk_replies_total{client="site-1"} 14

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fedrk::operation {

enum class MetricType { Counter, Gauge };

/// One number. Numbers of one name that differ in their labels share help and type: those of the first count.
/// REQUIRES: names of metrics and labels are letters, digits and underscores and start with no digit.
struct Metric {
  std::string name, help;
  MetricType type = MetricType::Gauge;
  std::vector<std::pair<std::string, std::string>> labels;
  double value = 0;
};

/// The page that shows them, those of one name together.
std::string exposition(std::span<const Metric> metrics);

}  // namespace fedrk::operation

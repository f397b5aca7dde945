// SPDX-License-Identifier: Apache-2.0
#include "ops/metrics.hpp"

#include <cmath>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace fedrk::operation {
namespace {

// A reader refuses the whole page for one byte that is not UTF-8. JSON's writer knows how to replace those.
std::string as_utf8(std::string_view text) {
  using nlohmann::json;
  return json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace)).get<std::string>();
}

std::string escaped(std::string_view text, bool quotes_too) {
  std::string result;
  for (const char c : as_utf8(text)) {
    if (c == '\n') {
      result += "\\n";
      continue;
    }
    if (c == '\\' || (c == '"' && quotes_too)) result += '\\';
    result += c;
  }
  return result;
}

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return fmt::format("{}", value);
}

std::string sample(const Metric& metric) {
  std::string labels;
  for (const auto& [name, value] : metric.labels) {
    labels += fmt::format("{}{}=\"{}\"", labels.empty() ? "" : ",", name, escaped(value, true));
  }
  if (!labels.empty()) labels = "{" + labels + "}";
  return fmt::format("{}{} {}\n", metric.name, labels, number(metric.value));
}

std::string heading(const Metric& metric) {
  return fmt::format("# HELP {} {}\n# TYPE {} {}\n", metric.name, escaped(metric.help, false), metric.name,
                     metric.type == MetricType::Counter ? "counter" : "gauge");
}

}  // namespace

std::string exposition(std::span<const Metric> metrics) {
  std::vector<std::pair<std::string_view, std::string>> groups;  // few names: looking through them is quick
  for (const Metric& metric : metrics) {
    std::size_t at = 0;
    while (at < groups.size() && groups[at].first != metric.name) ++at;
    if (at == groups.size()) groups.emplace_back(metric.name, heading(metric));
    groups[at].second += sample(metric);
  }
  std::string page;
  for (const auto& group : groups) page += group.second;
  return page;
}

}  // namespace fedrk::operation

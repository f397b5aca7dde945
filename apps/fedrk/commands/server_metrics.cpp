// SPDX-License-Identifier: Apache-2.0
#include "server_metrics.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace fedrk::app {
namespace {

using operation::Metric;
using operation::MetricType;

void add_client(const network::ClientStatus& session, std::vector<Metric>& metrics) {
  const auto add = [&](const char* name, const char* help, double value, std::string kind = "") {
    Metric metric{name, help, MetricType::Counter, {{"client", session.name}}, value};
    if (!kind.empty()) metric.labels.emplace_back("reason", std::move(kind));
    metrics.push_back(std::move(metric));
  };
  const network::ClientCounters& counts = session.counts;
  add("fedrk_client_joins_total", "Times that the client joined.", static_cast<double>(counts.joined));
  add("fedrk_client_answers_total", "Answers of the client that were used.", static_cast<double>(counts.answers));
  constexpr const char* kRefused = "fedrk_client_refused_total";
  constexpr const char* kHelp = "Answers of the client that were refused or missing, by reason.";
  add(kRefused, kHelp, static_cast<double>(counts.late), "late");
  add(kRefused, kHelp, static_cast<double>(counts.lost), "lost");
  add(kRefused, kHelp, static_cast<double>(counts.stale), "stale");
  add(kRefused, kHelp, static_cast<double>(counts.duplicates), "duplicate");
  add(kRefused, kHelp, static_cast<double>(counts.wrong), "wrong");
}

}  // namespace

void ServerMetrics::on_round(const RoundRecord& record, std::span<const double>) {
  const std::lock_guard lock(mutex_);
  rounds_ += 1.0;
  absences_ += static_cast<double>(record.absences.size());
  bytes_up_ += static_cast<double>(record.bytes_up);
  bytes_down_ += static_cast<double>(record.bytes_down);
  seconds_ += record.seconds;
  if (record.relative_residual) residual_ = record.relative_residual;
}

void ServerMetrics::set_phase(std::string phase) {
  const std::lock_guard lock(mutex_);
  phase_ = std::move(phase);
}

std::vector<Metric> ServerMetrics::metrics() const {
  const auto sessions = server_.status();
  const auto here = std::ranges::count(sessions, "here", &network::ClientStatus::presence);
  std::vector<Metric> metrics;
  const auto add = [&](const char* name, const char* help, MetricType type, double value) {
    metrics.push_back({name, help, type, {}, value});
  };
  {
    const std::lock_guard lock(mutex_);
    for (const char* phase : {"gathering", "running", "ended"}) {
      add("fedrk_phase", "What the server is doing.", MetricType::Gauge, phase_ == phase ? 1.0 : 0.0);
      metrics.back().labels.emplace_back("phase", phase);
    }
    add("fedrk_rounds_total", "Rounds made.", MetricType::Counter, rounds_);
    add("fedrk_absences_total", "Clients absent from rounds.", MetricType::Counter, absences_);
    add("fedrk_round_seconds_total", "Time spent in rounds.", MetricType::Counter, seconds_);
    add("fedrk_bytes_up_total", "Numbers from clients, in bytes.", MetricType::Counter, bytes_up_);
    add("fedrk_bytes_down_total", "Numbers to clients, in bytes.", MetricType::Counter, bytes_down_);
    if (residual_) add("fedrk_relative_residual", "The last that was reported.", MetricType::Gauge, *residual_);
  }
  add("fedrk_clients_listed", "Clients that may join.", MetricType::Gauge, static_cast<double>(sessions.size()));
  add("fedrk_clients_here", "Clients that are connected and ready.", MetricType::Gauge, static_cast<double>(here));
  for (const network::ClientStatus& session : sessions) add_client(session, metrics);
  return metrics;
}

std::optional<std::string> ServerMetrics::trouble() const {
  const auto sessions = server_.status();
  const auto here = std::ranges::count(sessions, "here", &network::ClientStatus::presence);
  const std::lock_guard lock(mutex_);
  if (phase_ == "running" && here == 0) return "no client is connected";
  return std::nullopt;
}

}  // namespace fedrk::app

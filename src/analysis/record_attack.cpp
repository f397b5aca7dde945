// SPDX-License-Identifier: Apache-2.0
#include "analysis/record_attack.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "analysis/point_cloud.hpp"
#include "linalg/kernels.hpp"

namespace fedrk {
namespace {

// Of all unknowns; a refit asks for a few.
bool is_displacement(const Observation& seen) { return !seen.x.empty() && seen.reply.values.size() == seen.x.size(); }

// Whether the last step ended on an equation of the client.
bool on_equations(const LocalWork& work) {
  return std::holds_alternative<FixedSteps>(work) || std::holds_alternative<ExactProjection>(work) ||
         std::holds_alternative<CutSteps>(work);
}

// Local steps of any kind, for those who only hope.
bool are_steps(const LocalWork& work) { return on_equations(work) || std::holds_alternative<SparseSteps>(work); }

SeenUpdate update(const Observation& seen, double divided_by) {
  SeenUpdate result{seen.round, seen.x, {seen.reply.values.begin(), seen.reply.values.end()}};
  for (double& value : result.delta) value /= divided_by;
  return result;
}

}  // namespace

std::vector<SeenUpdate> updates_of(const Transcript& transcript, ClientId client) {
  std::vector<SeenUpdate> result;
  for (const Observation& seen : transcript) {
    const bool own = seen.clients.size() == 1 && seen.clients.front() == client;
    if (own && is_displacement(seen) && on_equations(seen.work)) result.push_back(update(seen, 1.0));
  }
  return result;
}

std::vector<SeenUpdate> sums_as_updates(const Transcript& transcript, ReadAs read_as) {
  std::vector<SeenUpdate> result;
  for (const Observation& seen : transcript) {
    if (seen.clients.size() < 2 || !is_displacement(seen) || !are_steps(seen.work)) continue;
    const double members = static_cast<double>(seen.clients.size());
    result.push_back(update(seen, read_as == ReadAs::Mean ? members : 1.0));
  }
  return result;
}

RoundReplies RecordingEngine::local_updates(const LocalTask& task, std::span<const ClientId> participants) {
  RoundReplies round = inner_.local_updates(task, participants);
  const std::vector<double> x(task.x.begin(), task.x.end());
  for (const LocalReply& reply : round.replies) {
    std::vector<ClientId> clients{reply.client};
    if (task.reveal == Reveal::Sums) clients = round.answered;
    transcript_.push_back({task.round, task.work, x, std::move(clients), reply});
  }
  return round;
}

namespace detail {

std::optional<RecoveredRecord> scaled_record(std::vector<double> a, double b, const AttackOptions& options) {
  constexpr double kZero = 1e-12;
  const double length = std::sqrt(squared_norm(a));
  if (!(length > 0.0) || !std::isfinite(length)) return std::nullopt;
  double scale = length;
  if (options.ones) {
    scale = a[*options.ones];
    if (std::abs(scale) <= kZero * length) return std::nullopt;
  } else if (*std::ranges::max_element(a, {}, [](double entry) { return std::abs(entry); }) < 0.0) {
    scale = -length;
  }
  for (double& entry : a) entry /= scale;
  return RecoveredRecord{std::move(a), b / scale, 0};
}

bool same_record(const RecoveredRecord& one, const RecoveredRecord& other, double tolerance) {
  const double size = std::sqrt(squared_norm(one.a) + one.b * one.b);
  const auto apart = [&](double sign) {  // equal largest entries may be told apart by rounding only
    double squares = std::pow(one.b - sign * other.b, 2);
    for (std::size_t j = 0; j < one.a.size(); ++j) squares += std::pow(one.a[j] - sign * other.a[j], 2);
    return std::sqrt(squares);
  };
  return std::min(apart(1.0), apart(-1.0)) <= tolerance * size;
}

void add_record(std::optional<RecoveredRecord> record, std::vector<RecoveredRecord>& found) {
  constexpr double kSame = 1e-7;
  if (!record) return;
  const auto known =
      std::ranges::find_if(found, [&](const RecoveredRecord& other) { return same_record(*record, other, kSame); });
  if (known != found.end()) {
    known->support += record->support;
  } else {
    found.push_back(*std::move(record));
  }
}

}  // namespace detail

std::vector<RecoveredRecord> recover_from_single_steps(std::span<const SeenUpdate> updates,
                                                       const AttackOptions& options) {
  std::vector<RecoveredRecord> found;
  for (const SeenUpdate& update : updates) {
    if (!detail::is_readable(update)) continue;
    // Delta = c a, and x + Delta is on the hyperplane: <Delta, x + Delta> = c b.
    const double offset = dot(update.delta, update.x) + squared_norm(update.delta);
    auto record = detail::scaled_record(update.delta, offset, options);
    if (record) record->support = 1;
    detail::add_record(std::move(record), found);
  }
  return found;
}

std::vector<RecoveredRecord> recover_from_sums(const Transcript& transcript, const AttackOptions& options) {
  std::vector<RecoveredRecord> found;
  const auto try_both = [&](std::span<const SeenUpdate> updates) {
    std::ranges::move(recover_from_single_steps(updates, options), std::back_inserter(found));
    std::ranges::move(recover_from_points(updates, options), std::back_inserter(found));
  };
  for (const ReadAs read_as : {ReadAs::Sum, ReadAs::Mean}) {
    std::vector<SeenUpdate> updates = sums_as_updates(transcript, read_as);
    try_both(updates);
    for (SeenUpdate& update : updates) std::ranges::fill(update.x, 0.0);
    try_both(updates);
  }
  return found;
}

bool holds(std::span<const double> a, double b, std::span<const SeenUpdate> updates) {
  constexpr double kByChance = 1e-6;  // generous: a hit within 1e-9 comes once in about 1e9 rounds
  const double length = std::sqrt(squared_norm(a));
  if (!(length > 0.0)) return false;
  std::size_t rounds = 0, hits = 0;
  for (const SeenUpdate& update : updates) {
    if (!detail::is_readable(update)) continue;
    const double off = dot(a, update.x) + dot(a, update.delta) - b;
    ++rounds;
    if (std::abs(off) <= detail::kOnPlane * length * std::sqrt(squared_norm(update.delta))) ++hits;
  }
  return static_cast<double>(hits) > kByChance * static_cast<double>(rounds);
}

std::size_t count_matches(std::span<const RecoveredRecord> recovered, const LinearSystem& truth,
                          const AttackOptions& options, double tolerance) {
  std::size_t matched = 0;
  for (std::size_t i = 0; i < truth.rhs.size(); ++i) {
    std::vector<double> a(column_count(truth.rows), 0.0);
    std::visit([&](const auto& matrix) { axpy(1.0, matrix.row(i), a); }, truth.rows);
    const auto record = detail::scaled_record(std::move(a), truth.rhs[i], options);
    const auto same = [&](const RecoveredRecord& other) { return detail::same_record(*record, other, tolerance); };
    if (record && std::ranges::any_of(recovered, same)) ++matched;
  }
  return matched;
}

}  // namespace fedrk

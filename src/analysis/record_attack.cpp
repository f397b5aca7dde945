// SPDX-License-Identifier: Apache-2.0
#include "analysis/record_attack.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "analysis/point_cloud.hpp"
#include "linalg/kernels.hpp"

namespace fedrk {
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

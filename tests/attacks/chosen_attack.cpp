// SPDX-License-Identifier: Apache-2.0
#include "attacks/chosen_attack.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "analysis/point_cloud.hpp"
#include "analysis/record_attack.hpp"
#include "linalg/dense.hpp"
#include "linalg/kernels.hpp"

namespace fedrk {
namespace {

// A combination of rows, of length one, and the same combination of right-hand sides.
struct Combination {
  std::vector<double> a;
  double b = 0.0;
};

// A column centred at `value` and divided by `scale`.
struct Held {
  std::size_t column = 0;
  double value = 0.0, scale = 1.0;
};

using Group = std::vector<ClientId>;

class Preparation {
 public:
  Preparation(const PreparedRun& run, std::size_t unknowns, const PreparationOptions& options)
      : run_(run), unknowns_(unknowns), options_(options) {}

  PreparationFindings search() {
    constexpr double kTiny = 1e-9;
    for (const double value : options_.values) {
      const Held listed{options_.listed, value, kTiny};
      for (const auto& [group, combinations] : ask({listed})) {
        const std::size_t rows = rank_of(combinations, true);
        if (rows == 1) add(combinations.front(), {listed});
        std::size_t found = rows == 1 ? 1 : 0;
        for (std::size_t k = 0; k < options_.starts.size() && found < rows; ++k) {
          found += follow(group, listed, options_.starts[k]) ? 1 : 0;
        }
      }
    }
    return std::move(findings_);
  }

 private:
  // From u towards a row of the group; whether that ended at one that is new.
  bool follow(const Group& group, const Held& listed, double u) {
    constexpr int kSteps = 14;
    constexpr double kWide = 0.05, kNarrower = 0.3, kThere = 1e-3;
    double scale = kWide;
    for (int step = 0; step < kSteps; ++step, scale *= kNarrower) {
      const Held measured{options_.measured, u, scale};
      const auto groups = ask({listed, measured});
      const auto seen = groups.find(group);
      if (seen == groups.end()) return false;
      const auto& combinations = seen->second;
      const std::vector<double>& last = combinations.back().a;
      const double way = last[options_.measured] / last[options_.ones];
      if (std::abs(way) < kThere && rank_of(combinations, false) == 1)
        return add(combinations.back(), {listed, measured});
      u += scale * way;
      if (!std::isfinite(u)) return false;
    }
    return false;
  }

  // A record in the units of the data; whether it is new.
  bool add(const Combination& row, const std::vector<Held>& held) {
    auto record = detail::scaled_record(row.a, row.b, {.ones = options_.ones});
    if (!record) return false;
    for (const Held& one : held) record->a[one.column] = one.value + one.scale * record->a[one.column];
    record->support = 1;
    const std::size_t before = findings_.records.size();
    detail::add_record(std::move(record), findings_.records);
    return findings_.records.size() > before;
  }

  // One run, by the clients in the sums.
  std::map<Group, std::vector<Combination>> ask(const std::vector<Held>& held) {
    constexpr double kSome = 1e-6;  // what is shorter comes from steps on long rows alone
    Scaling scaling{std::vector<double>(unknowns_, 0.0), std::vector<double>(unknowns_, 1.0)};
    for (const Held& one : held) {
      scaling.centre[one.column] = one.value;
      scaling.scale[one.column] = one.scale;
    }
    std::map<Group, std::vector<Combination>> groups;
    ++findings_.runs;
    for (const Observation& seen : run_(scaling, points())) {
      if (seen.reply.values.size() != unknowns_ || !seen.reply.gap) continue;
      Combination one{{seen.reply.values.begin(), seen.reply.values.end()}, 0.0};
      one.b = dot(seen.reply.values, seen.x) + *seen.reply.gap;
      one.a[options_.listed] = 0.0;  // of the rows that count; others leave their rounding
      const double length = std::sqrt(squared_norm(one.a));
      if (!(length > kSome)) continue;
      for (double& entry : one.a) entry /= length;
      one.b /= length;
      groups[seen.clients].push_back(std::move(one));
    }
    return groups;
  }

  // Far down the column of ones every residual is positive, so that sums are means of rows with positive weights.
  std::vector<std::vector<double>> points() const {
    std::vector<std::vector<double>> points;
    for (const double down : {4.0, 8.0, 16.0, 32.0, 64.0, 128.0}) {
      points.emplace_back(unknowns_, 0.0);
      points.back()[options_.ones] = -down;
    }
    return points;
  }

  // How many rows are in these combinations. `measured` is left out where rows are long in it, which makes any two
  // alike.
  std::size_t rank_of(const std::vector<Combination>& group, bool with_measured) const {
    constexpr double kParallel = 1e-7;
    std::vector<double> entries;
    for (const Combination& one : group) {
      std::vector<double> row = one.a;
      if (!with_measured) row[options_.measured] = 0.0;
      row.push_back(one.b);
      normalize(row);
      entries.insert(entries.end(), row.begin(), row.end());
    }
    const auto values = singular_values(entries, group.size(), unknowns_ + 1);
    return static_cast<std::size_t>(
        std::ranges::count_if(values, [&](double value) { return value > kParallel * values.front(); }));
  }

  const PreparedRun& run_;
  std::size_t unknowns_;
  const PreparationOptions& options_;
  PreparationFindings findings_;
};

}  // namespace

std::vector<double> isolating_point(std::size_t unknowns, std::size_t column, double size) {
  std::vector<double> x(unknowns, 0.0);
  x[column] = size;
  return x;
}

std::vector<RecoveredRecord> recover_isolated(const Transcript& transcript, const AttackOptions& options) {
  std::vector<RecoveredRecord> found;
  for (const Observation& seen : transcript) {
    if (!seen.reply.gap || seen.reply.values.size() != seen.x.size()) continue;
    const double offset = dot(seen.reply.values, seen.x) + *seen.reply.gap;
    auto record = detail::scaled_record({seen.reply.values.begin(), seen.reply.values.end()}, offset, options);
    if (record) record->support = 1;
    detail::add_record(std::move(record), found);
  }
  return found;
}

PreparationFindings recover_by_preparation(const PreparedRun& run, std::size_t unknowns,
                                           const PreparationOptions& options) {
  return Preparation(run, unknowns, options).search();
}

}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#include "attacks/attack_score.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "linalg/kernels.hpp"

namespace fedrk {
namespace {

using Record = std::vector<double>;  // (a, b)

std::vector<Record> records_of(std::span<const LinearSystem> truth) {
  std::vector<Record> records;
  for (const LinearSystem& system : truth) {
    for (std::size_t i = 0; i < system.rhs.size(); ++i) {
      Record record(column_count(system.rows), 0.0);
      std::visit([&](const auto& rows) { axpy(1.0, rows.row(i), record); }, system.rows);
      record.push_back(system.rhs[i]);
      records.push_back(std::move(record));
    }
  }
  return records;
}

}  // namespace

AttackScore score_of(std::span<const RecoveredRecord> claimed, std::span<const LinearSystem> truth, double tolerance) {
  const std::vector<Record> records = records_of(truth);
  std::vector<bool> is_found(records.size(), false);
  AttackScore score{.records = records.size()};
  for (const RecoveredRecord& claim : claimed) {
    Record record = claim.a;
    record.push_back(claim.b);
    bool right = false;
    for (std::size_t i = 0; i < records.size(); ++i) {  // equal records of several people are found together
      if (records[i].size() != record.size() || !(relative_error(record, records[i]) <= tolerance)) continue;
      is_found[i] = right = true;
    }
    if (!right) ++score.wrong;
  }
  score.found = static_cast<std::size_t>(std::ranges::count(is_found, true));
  return score;
}

double relative_error(std::span<const double> claimed, std::span<const double> truth) {
  return distance(claimed, truth) / std::sqrt(squared_norm(truth));
}

}  // namespace fedrk

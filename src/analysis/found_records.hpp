// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "analysis/record_attack.hpp"

namespace fedrk::detail {

/// The equation <a, x> = b scaled as RecoveredRecord says. Nothing where a is zero, or zero in the column that is known
/// to be one.
std::optional<RecoveredRecord> scaled_record(std::vector<double> a, double b, const AttackOptions& options);

/// Whether two scaled records are the same, to `tolerance` of their size.
bool same_record(const RecoveredRecord& one, const RecoveredRecord& other, double tolerance);

/// Adds a record that is not there yet; one that is gains the support.
void add_record(std::optional<RecoveredRecord> record, std::vector<RecoveredRecord>& found);

}  // namespace fedrk::detail

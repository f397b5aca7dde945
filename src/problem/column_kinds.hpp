// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a column is like at one site: a column that is zero, or the same for all, at the other sites tells a question
// whose rows answer it. A column of ones counts as one that varies: it is an intercept, which marks no site that the
// others do not have. So does whatever is not zero at a site of one row, where nothing can vary.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fedrk/system.hpp"
#include "linalg/row_products.hpp"

namespace fedrk {

enum class ColumnKind : std::uint8_t { Zero, Constant, Varying };

/// Of the columns from `first` on.
inline std::vector<ColumnKind> column_kinds(const LinearSystem& system, std::size_t first) {
  const std::size_t columns = column_count(system.rows), rows = row_count(system.rows);
  std::vector<double> seen(columns, 0.0);        // the value of its first entry that is not zero
  std::vector<std::size_t> present(columns, 0);  // entries that are not
  std::vector<bool> differ(columns, false);
  std::visit(
      [&](const auto& matrix) {
        for (std::size_t i = 0; i < matrix.rows(); ++i) {
          for_each_entry(matrix.row(i), [&](std::size_t j, double value) {
            if (value == 0.0) return;
            if (present[j]++ == 0) seen[j] = value;
            if (value != seen[j]) differ[j] = true;
          });
        }
      },
      system.rows);
  std::vector<ColumnKind> kinds;
  for (std::size_t j = first; j < columns; ++j) {
    const bool varies = differ[j] || (present[j] > 0 && present[j] < rows);
    const bool ones = present[j] == rows && (seen[j] == 1.0 || rows == 1);
    kinds.push_back(varies || ones ? ColumnKind::Varying : present[j] > 0 ? ColumnKind::Constant : ColumnKind::Zero);
  }
  return kinds;
}

}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a column is like at one site: a column that is zero, or the same for all, at the other sites tells a question
// whose rows answer it. A column of ones at every site is an intercept and marks none. Whatever is not zero at a site
// of one row, where nothing can vary, counts as varying.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "fedrk/system.hpp"
#include "linalg/row_products.hpp"

namespace fedrk {

enum class ColumnKind : std::uint8_t { Zero, Constant, Ones, Varying };

/// Of the columns from `first` on, and last of the right-hand side, which is a question to its sites as well.
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
  const auto kind = [rows](bool differs, std::size_t there, double value) {
    if (there == 0) return ColumnKind::Zero;
    if (differs || there < rows || rows == 1) return ColumnKind::Varying;
    return value == 1.0 ? ColumnKind::Ones : ColumnKind::Constant;
  };
  std::vector<ColumnKind> kinds;
  for (std::size_t j = first; j < columns; ++j) kinds.push_back(kind(differ[j], present[j], seen[j]));
  const std::vector<double>& b = system.rhs;
  const bool differs = std::ranges::adjacent_find(b, std::ranges::not_equal_to{}) != b.end();
  const auto zeros = static_cast<std::size_t>(std::ranges::count(b, 0.0));
  kinds.push_back(kind(differs, rows - zeros, b.empty() ? 0.0 : b.front()));
  return kinds;
}

}  // namespace fedrk

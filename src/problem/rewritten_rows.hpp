// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fedrk/sparse_matrix.hpp"

namespace fedrk {

/// A sparse matrix with the same number of rows: `rewrite(i, columns, values)` says what row i holds. It is given the
/// row as it was.
template <class Number, class Rewrite>
BasicSparseMatrix<Number> rewritten_rows(const BasicSparseMatrix<Number>& matrix, std::size_t cols,
                                         std::size_t nonzeros, const Rewrite& rewrite) {
  BasicSparseMatrix<Number> rewritten(cols);
  rewritten.reserve(matrix.rows(), nonzeros);
  std::vector<std::uint32_t> columns;
  std::vector<Number> values;
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    const auto row = matrix.row(i);
    columns.assign(row.columns.begin(), row.columns.end());
    values.assign(row.values.begin(), row.values.end());
    rewrite(i, columns, values);
    rewritten.append_row(columns, values);
  }
  return rewritten;
}

}  // namespace fedrk

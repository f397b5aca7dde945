// SPDX-License-Identifier: Apache-2.0
#pragma once

// A sparse matrix, row after row (CSR): a step on a row costs its non-zeros, not the number of columns.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fedrk/base/contracts.hpp"
#include "fedrk/linalg/kernels.hpp"
#include "fedrk/linalg/matrix.hpp"

namespace fedrk {

struct Triplet {
  std::uint32_t row = 0;
  std::uint32_t column = 0;
  double value = 0.0;
};

class SparseMatrix {
 public:
  SparseMatrix() = default;
  /// Starts without rows; `append_row` adds them.
  explicit SparseMatrix(std::size_t cols) : cols_(cols) {}
  /// Entries in any order; those at the same place are added up.
  SparseMatrix(std::size_t rows, std::size_t cols, std::vector<Triplet> entries);

  std::size_t rows() const { return row_start_.size() - 1; }
  std::size_t cols() const { return cols_; }
  std::size_t nonzeros() const { return values_.size(); }
  SparseRow row(std::size_t i) const {
    FEDRK_EXPECTS(i < rows());
    const std::size_t first = row_start_[i], count = row_start_[i + 1] - first;
    return {std::span(columns_).subspan(first, count), std::span(values_).subspan(first, count)};
  }
  /// Has the place of row i fetched from memory, so that row(i) does not wait for it.
  void call_from_memory(std::size_t i) const { __builtin_prefetch(&row_start_[i]); }
  /// The stored entries of row i.
  std::span<double> values(std::size_t i) {
    FEDRK_EXPECTS(i < rows());
    return std::span(values_).subspan(row_start_[i], row_start_[i + 1] - row_start_[i]);
  }

  /// REQUIRES: columns ascend and lie below cols().
  void append_row(std::span<const std::uint32_t> columns, std::span<const double> values);
  void reserve(std::size_t rows, std::size_t nonzeros);

  /// Widens the matrix by empty columns on either side.
  void add_columns(Margins added);

  void permute_rows(std::span<const std::size_t> order);
  std::vector<SparseMatrix> split_rows(std::span<const std::size_t> counts) &&;

 private:
  std::size_t cols_ = 0;
  std::vector<std::size_t> row_start_{0};
  std::vector<std::uint32_t> columns_;
  std::vector<double> values_;
};

}  // namespace fedrk

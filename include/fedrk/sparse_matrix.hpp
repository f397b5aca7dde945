// SPDX-License-Identifier: Apache-2.0
#pragma once

// A sparse matrix, row after row (CSR): a step on a row costs its non-zeros, not the number of columns.

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "fedrk/aligned_vector.hpp"
#include "fedrk/contracts.hpp"
#include "fedrk/matrix.hpp"

namespace fedrk {

/// A row of a sparse matrix: its entries are values[k] at columns[k], ascending.
template <class Number>
struct BasicSparseRow {
  std::span<const std::uint32_t> columns;
  std::span<const Number> values;
};
using SparseRow = BasicSparseRow<double>;
using SparseRow32 = BasicSparseRow<float>;

struct Triplet {
  std::uint32_t row = 0;
  std::uint32_t column = 0;
  double value = 0.0;
};

template <class Number>
class BasicSparseMatrix {
 public:
  BasicSparseMatrix() = default;
  /// Starts without rows; `append_row` adds them.
  explicit BasicSparseMatrix(std::size_t cols) : cols_(cols) {}
  /// Entries in any order; those at the same place are added up.
  BasicSparseMatrix(std::size_t rows, std::size_t cols, std::vector<Triplet> entries);

  std::size_t rows() const { return row_start_.size() - 1; }
  std::size_t cols() const { return cols_; }
  std::size_t nonzeros() const { return values_.size(); }
  BasicSparseRow<Number> row(std::size_t i) const {
    FEDRK_EXPECTS(i < rows());
    const std::size_t first = row_start_[i], count = row_start_[i + 1] - first;
    return {std::span(columns_).subspan(first, count), std::span(values_).subspan(first, count)};
  }
  /// Has the place of row i fetched from memory, so that row(i) does not wait for it.
  [[gnu::always_inline]] void call_from_memory(std::size_t i) const { __builtin_prefetch(&row_start_[i]); }
  /// The stored entries of row i.
  std::span<const Number> values(std::size_t i) const { return row(i).values; }
  std::span<Number> values(std::size_t i) {
    FEDRK_EXPECTS(i < rows());
    return std::span(values_).subspan(row_start_[i], row_start_[i + 1] - row_start_[i]);
  }

  /// REQUIRES: columns ascend, none twice, and lie below cols().
  void append_row(std::span<const std::uint32_t> columns, std::span<const Number> values);
  void reserve(std::size_t rows, std::size_t nonzeros);

  /// Widens the matrix by empty columns on either side.
  void add_columns(Margins added);

  void permute_rows(std::span<const std::size_t> order);
  std::vector<BasicSparseMatrix> split_rows(std::span<const std::size_t> counts) &&;

  /// The same places with other values, in the order in which they are stored.
  template <class Other>
  BasicSparseMatrix<Other> with_values(BasicAlignedVector<Other> values) && {
    FEDRK_EXPECTS(values.size() == nonzeros());
    BasicSparseMatrix<Other> result(cols_);
    result.row_start_ = std::exchange(row_start_, {0});
    result.columns_ = std::exchange(columns_, {});
    result.values_ = std::move(values);
    values_.clear();
    return result;
  }

 private:
  template <class>
  friend class BasicSparseMatrix;

  std::size_t cols_ = 0;
  BasicAlignedVector<std::size_t> row_start_{0};  // on huge pages where they are large: rows are drawn at random
  BasicAlignedVector<std::uint32_t> columns_;
  BasicAlignedVector<Number> values_;
};

extern template class BasicSparseMatrix<double>;
extern template class BasicSparseMatrix<float>;

using SparseMatrix = BasicSparseMatrix<double>;
using SparseMatrix32 = BasicSparseMatrix<float>;

}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#pragma once

// A dense matrix, row after row, of doubles or of floats.
//
// A data file is held once, however many clients it is split over: `split_rows` hands out pieces with disjoint rows
// that keep the one storage alive together, so each piece may still be changed by its owner. Storage can hold free
// columns on both sides (as std::vector has capacity), which `add_columns` uses in place of a second copy; that is how
// an intercept or noise columns join a large file.
//
// `view` makes a matrix of memory that somebody else owns, and only ever reads that memory: what would change a row
// (`row` and `values` of a matrix that is not const, `add_columns`, `permute_rows`) copies the matrix first. `over`
// takes memory over, to be changed like any other.

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "fedrk/contracts.hpp"

namespace fedrk {

/// Free columns beside a matrix, for `add_columns` to take.
struct Margins {
  std::size_t front = 0;
  std::size_t back = 0;
};

template <class Number>
class BasicMatrix {
 public:
  BasicMatrix() = default;
  /// All zeros. Throws std::bad_alloc where the size cannot be had.
  BasicMatrix(std::size_t rows, std::size_t cols, Margins margins = {});
  /// From rows written out, for tests and examples.
  BasicMatrix(std::initializer_list<std::initializer_list<Number>> rows);

  /// The rows of memory that the caller owns and keeps alive as long as this matrix and its pieces; nothing is copied
  /// unless a row is to be changed, and the memory is never written. Row i begins at first + i * stride; without a
  /// stride the rows follow one another.
  /// REQUIRES: stride >= cols.
  static BasicMatrix view(const Number* first, std::size_t rows, std::size_t cols, std::size_t stride);
  static BasicMatrix view(const Number* first, std::size_t rows, std::size_t cols) {
    return view(first, rows, cols, cols);
  }

  /// The rows that stand in `storage` one after the other, whatever holds them (a mapped file, say); nothing is copied,
  /// and the storage may be written.
  static BasicMatrix over(std::shared_ptr<Number[]> storage, std::size_t rows, std::size_t cols);

  BasicMatrix(BasicMatrix&& other) noexcept { *this = std::move(other); }
  BasicMatrix& operator=(BasicMatrix&& other) noexcept;  // leaves an empty matrix behind
  BasicMatrix(const BasicMatrix&) = delete;              // large: say clone()
  BasicMatrix& operator=(const BasicMatrix&) = delete;
  ~BasicMatrix() = default;

  BasicMatrix clone(Margins margins = {}) const;

  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  /// From the start of a row to that of the next: cols(), free columns, and in wide matrices a few numbers of filling.
  std::size_t stride() const { return stride_; }
  std::span<const Number> row(std::size_t i) const {
    FEDRK_EXPECTS(i < rows_);
    return {first_ + i * stride_, cols_};
  }
  std::span<Number> row(std::size_t i) {
    FEDRK_EXPECTS(i < rows_);
    if (is_view_) [[unlikely]]
      *this = clone();
    return {first_ + i * stride_, cols_};
  }
  /// The memory is another's, and has not been copied so far.
  bool is_view() const { return is_view_; }
  /// The stored entries of row i: for a dense matrix the whole row (SparseMatrix has the same verb).
  std::span<const Number> values(std::size_t i) const { return row(i); }
  std::span<Number> values(std::size_t i) { return row(i); }

  /// Adds columns of zeros on either side, in place where the storage has room.
  void add_columns(Margins added);

  /// Row i of the result is row order[i] of this one. In place, one row of scratch; a view is copied.
  /// REQUIRES: `order` is a permutation.
  void permute_rows(std::span<const std::size_t> order);

  /// Rows first .. last - 1 are not looked at any more: as far as the storage is large and our own, their memory goes
  /// back to the system, also where other pieces still use theirs. Their entries are undefined from now on.
  void give_back(std::size_t first, std::size_t last);

  /// Pieces of counts[0], counts[1], ... rows.
  /// REQUIRES: the counts add up to rows().
  std::vector<BasicMatrix> split_rows(std::span<const std::size_t> counts) &&;

 private:
  std::shared_ptr<Number[]> storage_;  // shared by the pieces of one split, which never overlap
  Number* first_ = nullptr;            // of a view: never written through
  std::size_t rows_ = 0, cols_ = 0, stride_ = 0;
  Margins free_;
  bool is_view_ = false;
  bool own_pages_ = false;  // the storage is pages that nothing else lies on
};

extern template class BasicMatrix<double>;
extern template class BasicMatrix<float>;

using Matrix = BasicMatrix<double>;
using Matrix32 = BasicMatrix<float>;

}  // namespace fedrk

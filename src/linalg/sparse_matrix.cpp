// SPDX-License-Identifier: Apache-2.0
#include "fedrk/sparse_matrix.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace fedrk {
namespace {

std::vector<Triplet> by_place(std::vector<Triplet> entries) {
  std::ranges::sort(entries, {}, [](const Triplet& e) { return std::tuple(e.row, e.column); });
  return entries;
}

}  // namespace

template <class Number>
BasicSparseMatrix<Number>::BasicSparseMatrix(std::size_t rows, std::size_t cols, std::vector<Triplet> entries)
    : cols_(cols) {
  const std::vector<Triplet> sorted = by_place(std::move(entries));
  row_start_.assign(rows + 1, 0);
  const Triplet* previous = nullptr;
  for (const Triplet& entry : sorted) {
    FEDRK_EXPECTS(entry.row < rows && entry.column < cols);
    if (previous != nullptr && previous->row == entry.row && previous->column == entry.column) {
      values_.back() += static_cast<Number>(entry.value);
    } else {
      columns_.push_back(entry.column);
      values_.push_back(static_cast<Number>(entry.value));
      ++row_start_[entry.row + 1];
    }
    previous = &entry;
  }
  std::partial_sum(row_start_.begin(), row_start_.end(), row_start_.begin());
}

template <class Number>
void BasicSparseMatrix<Number>::append_row(std::span<const std::uint32_t> columns, std::span<const Number> values) {
  FEDRK_EXPECTS(columns.size() == values.size());
  FEDRK_EXPECTS(std::ranges::adjacent_find(columns, std::ranges::greater_equal{}) == columns.end());
  FEDRK_EXPECTS(columns.empty() || columns.back() < cols_);
  columns_.insert(columns_.end(), columns.begin(), columns.end());
  values_.insert(values_.end(), values.begin(), values.end());
  row_start_.push_back(values_.size());
}

template <class Number>
void BasicSparseMatrix<Number>::reserve(std::size_t rows, std::size_t nonzeros) {
  row_start_.reserve(rows + 1);
  columns_.reserve(nonzeros);
  values_.reserve(nonzeros);
}

template <class Number>
void BasicSparseMatrix<Number>::add_columns(Margins added) {
  cols_ += added.front + added.back;
  if (added.front == 0) return;
  for (auto& column : columns_) column += static_cast<std::uint32_t>(added.front);
}

template <class Number>
void BasicSparseMatrix<Number>::permute_rows(std::span<const std::size_t> order) {
  FEDRK_EXPECTS(order.size() == rows());
  BasicSparseMatrix permuted(cols_);
  permuted.reserve(rows(), nonzeros());
  for (const std::size_t from : order) permuted.append_row(row(from).columns, row(from).values);
  *this = std::move(permuted);
}

template <class Number>
std::vector<BasicSparseMatrix<Number>> BasicSparseMatrix<Number>::split_rows(std::span<const std::size_t> counts) && {
  FEDRK_EXPECTS(std::accumulate(counts.begin(), counts.end(), std::size_t{0}) == rows());
  std::vector<BasicSparseMatrix> pieces;
  pieces.reserve(counts.size());
  std::size_t next = 0;
  for (const std::size_t count : counts) {
    BasicSparseMatrix& piece = pieces.emplace_back(cols_);
    piece.reserve(count, row_start_[next + count] - row_start_[next]);
    for (const std::size_t end = next + count; next < end; ++next)
      piece.append_row(row(next).columns, row(next).values);
  }
  *this = BasicSparseMatrix();
  return pieces;
}

template class BasicSparseMatrix<double>;
template class BasicSparseMatrix<float>;

}  // namespace fedrk

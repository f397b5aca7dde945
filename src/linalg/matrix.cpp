// SPDX-License-Identifier: Apache-2.0
#include "fedrk/linalg/matrix.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <new>
#include <numeric>

namespace fedrk {
namespace {

// Aligned to a cache line, so that vector loads from the first column do not straddle two.
std::shared_ptr<double[]> allocate(std::size_t rows, std::size_t stride) {
  constexpr std::size_t kLine = 64;
  if (stride != 0 && rows > (std::numeric_limits<std::size_t>::max() / sizeof(double) - kLine) / stride) {
    throw std::bad_alloc();
  }
  const std::size_t bytes = (rows * stride * sizeof(double) + kLine - 1) / kLine * kLine;
  auto* memory = static_cast<double*>(std::aligned_alloc(kLine, std::max(bytes, kLine)));
  if (memory == nullptr) throw std::bad_alloc();
  return {memory, [](double* p) { std::free(p); }};
}

// Columns with their margins; a width beyond any memory must not wrap round to a small one.
std::size_t checked_width(std::size_t cols, Margins margins) {
  constexpr std::size_t kWidest = std::numeric_limits<std::size_t>::max() / 4;
  if (cols > kWidest || margins.front > kWidest || margins.back > kWidest) throw std::bad_alloc();
  return margins.front + cols + margins.back;
}

}  // namespace

Matrix::Matrix(std::size_t rows, std::size_t cols, Margins margins)
    : storage_(allocate(rows, checked_width(cols, margins))),
      first_(storage_.get() + margins.front),
      rows_(rows),
      cols_(cols),
      stride_(margins.front + cols + margins.back),
      free_(margins) {
  std::fill_n(storage_.get(), rows * stride_, 0.0);
}

Matrix::Matrix(std::initializer_list<std::initializer_list<double>> rows)
    : Matrix(rows.size(), rows.size() == 0 ? 0 : rows.begin()->size()) {
  std::size_t i = 0;
  for (const auto& values : rows) {
    FEDRK_EXPECTS(values.size() == cols_);
    std::ranges::copy(values, row(i++).begin());
  }
}

Matrix& Matrix::operator=(Matrix&& other) noexcept {
  storage_ = std::exchange(other.storage_, nullptr);
  first_ = std::exchange(other.first_, nullptr);
  rows_ = std::exchange(other.rows_, 0);
  cols_ = std::exchange(other.cols_, 0);
  stride_ = std::exchange(other.stride_, 0);
  free_ = std::exchange(other.free_, {});
  return *this;
}

Matrix Matrix::clone(Margins margins) const {
  Matrix copy(rows_, cols_, margins);
  for (std::size_t i = 0; i < rows_; ++i) std::ranges::copy(row(i), copy.row(i).begin());
  return copy;
}

void Matrix::add_columns(Margins added) {
  if (added.front > free_.front || added.back > free_.back) {
    *this = clone({.front = added.front, .back = added.back});
  }
  first_ -= added.front;
  cols_ += added.front + added.back;
  free_ = {.front = free_.front - added.front, .back = free_.back - added.back};
  for (std::size_t i = 0; i < rows_; ++i) {
    std::ranges::fill(row(i).first(added.front), 0.0);
    std::ranges::fill(row(i).last(added.back), 0.0);
  }
}

void Matrix::permute_rows(std::span<const std::size_t> order) {
  FEDRK_EXPECTS(order.size() == rows_);
  std::vector<double> held(cols_);
  std::vector<bool> placed(rows_, false);
  for (std::size_t start = 0; start < rows_; ++start) {  // each cycle of the permutation once
    if (placed[start] || order[start] == start) continue;
    std::ranges::copy(row(start), held.begin());
    std::size_t to = start;
    for (; order[to] != start; to = order[to]) {
      std::ranges::copy(row(order[to]), row(to).begin());
      placed[to] = true;
    }
    std::ranges::copy(held, row(to).begin());
    placed[to] = true;
  }
}

std::vector<Matrix> Matrix::split_rows(std::span<const std::size_t> counts) && {
  FEDRK_EXPECTS(std::accumulate(counts.begin(), counts.end(), std::size_t{0}) == rows_);
  std::vector<Matrix> pieces;
  pieces.reserve(counts.size());
  double* first = first_;
  for (const std::size_t count : counts) {
    Matrix& piece = pieces.emplace_back();
    piece.storage_ = storage_;
    piece.first_ = first;
    piece.rows_ = count;
    piece.cols_ = cols_;
    piece.stride_ = stride_;
    piece.free_ = free_;
    first += count * stride_;
  }
  *this = Matrix();
  return pieces;
}

}  // namespace fedrk

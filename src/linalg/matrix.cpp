// SPDX-License-Identifier: Apache-2.0
#include "fedrk/matrix.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <new>
#include <numeric>

#include "linalg/huge_pages.hpp"

namespace fedrk {
namespace {

constexpr std::size_t kLine = 64;  // bytes of a cache line

using detail::kLargeBytes;
using detail::page_bytes;

template <class Number>
bool is_large(std::size_t rows, std::size_t stride) {
  return rows * stride * sizeof(Number) >= kLargeBytes;
}

// All zeros, aligned to a cache line, so that vector loads from the first column do not straddle two.
template <class Number>
std::shared_ptr<Number[]> allocate(std::size_t rows, std::size_t stride) {
  if (stride != 0 && rows > (std::numeric_limits<std::size_t>::max() / sizeof(Number) - kLine) / stride) {
    throw std::bad_alloc();
  }
  const std::size_t bytes = (rows * stride * sizeof(Number) + kLine - 1) / kLine * kLine;
  if (is_large<Number>(rows, stride)) {
    return {static_cast<Number*>(detail::map_zeros(bytes)), [bytes](Number* p) { detail::unmap(p, bytes); }};
  }
  auto* memory = static_cast<Number*>(std::aligned_alloc(kLine, std::max(bytes, kLine)));
  if (memory == nullptr) throw std::bad_alloc();
  std::fill_n(memory, rows * stride, Number{0});
  return {memory, [](Number* p) { std::free(p); }};
}

// Columns with their margins; a width beyond any memory must not wrap round to a small one.
std::size_t checked_width(std::size_t cols, Margins margins) {
  constexpr std::size_t kWidest = std::numeric_limits<std::size_t>::max() / 4;
  if (cols > kWidest || margins.front > kWidest || margins.back > kWidest) throw std::bad_alloc();
  return margins.front + cols + margins.back;
}

// From one row to the next. Wide rows all start on a cache line; in narrow ones the filling would cost more than it
// saves.
template <class Number>
std::size_t stride_for(std::size_t width) {
  constexpr std::size_t kWide = 128, kPerLine = kLine / sizeof(Number);
  return width < kWide ? width : (width + kPerLine - 1) / kPerLine * kPerLine;
}

}  // namespace

template <class Number>
BasicMatrix<Number>::BasicMatrix(std::size_t rows, std::size_t cols, Margins margins)
    : rows_(rows), cols_(cols), stride_(stride_for<Number>(checked_width(cols, margins))), free_(margins) {
  free_.back = stride_ - margins.front - cols;  // the filling is as free as the margin
  storage_ = allocate<Number>(rows, stride_);
  first_ = storage_.get() + margins.front;
  own_pages_ = is_large<Number>(rows, stride_);
}

template <class Number>
BasicMatrix<Number>::BasicMatrix(std::initializer_list<std::initializer_list<Number>> rows)
    : BasicMatrix(rows.size(), rows.size() == 0 ? 0 : rows.begin()->size()) {
  std::size_t i = 0;
  for (const auto& values : rows) {
    FEDRK_EXPECTS(values.size() == cols_);
    std::ranges::copy(values, row(i++).begin());
  }
}

template <class Number>
BasicMatrix<Number> BasicMatrix<Number>::view(const Number* first, std::size_t rows, std::size_t cols,
                                              std::size_t stride) {
  FEDRK_EXPECTS(stride >= cols);
  BasicMatrix matrix;
  matrix.first_ = const_cast<Number*>(first);
  matrix.rows_ = rows;
  matrix.cols_ = cols;
  matrix.stride_ = stride;
  matrix.is_view_ = true;
  return matrix;
}

template <class Number>
BasicMatrix<Number> BasicMatrix<Number>::over(std::shared_ptr<Number[]> storage, std::size_t rows, std::size_t cols) {
  BasicMatrix matrix;
  matrix.storage_ = std::move(storage);
  matrix.first_ = matrix.storage_.get();
  matrix.rows_ = rows;
  matrix.cols_ = matrix.stride_ = cols;
  return matrix;
}

template <class Number>
BasicMatrix<Number>& BasicMatrix<Number>::operator=(BasicMatrix&& other) noexcept {
  storage_ = std::exchange(other.storage_, nullptr);
  first_ = std::exchange(other.first_, nullptr);
  rows_ = std::exchange(other.rows_, 0);
  cols_ = std::exchange(other.cols_, 0);
  stride_ = std::exchange(other.stride_, 0);
  free_ = std::exchange(other.free_, {});
  is_view_ = std::exchange(other.is_view_, false);
  own_pages_ = std::exchange(other.own_pages_, false);
  return *this;
}

template <class Number>
BasicMatrix<Number> BasicMatrix<Number>::clone(Margins margins) const {
  BasicMatrix copy(rows_, cols_, margins);
  for (std::size_t i = 0; i < rows_; ++i) std::ranges::copy(row(i), copy.row(i).begin());
  return copy;
}

template <class Number>
void BasicMatrix<Number>::add_columns(Margins added) {
  if (added.front == 0 && added.back == 0) return;
  if (added.front > free_.front || added.back > free_.back) {
    *this = clone({.front = added.front, .back = added.back});
  }
  first_ -= added.front;
  cols_ += added.front + added.back;
  free_ = {.front = free_.front - added.front, .back = free_.back - added.back};
  for (std::size_t i = 0; i < rows_; ++i) {
    std::ranges::fill(row(i).first(added.front), Number{0});
    std::ranges::fill(row(i).last(added.back), Number{0});
  }
}

template <class Number>
void BasicMatrix<Number>::permute_rows(std::span<const std::size_t> order) {
  FEDRK_EXPECTS(order.size() == rows_);
  if (is_view_) {
    BasicMatrix permuted(rows_, cols_);
    for (std::size_t i = 0; i < rows_; ++i) {
      std::ranges::copy(std::as_const(*this).row(order[i]), permuted.row(i).begin());
    }
    *this = std::move(permuted);
    return;
  }
  std::vector<Number> held(cols_);
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

template <class Number>
void BasicMatrix<Number>::give_back(std::size_t first, std::size_t last) {
  FEDRK_EXPECTS(first <= last && last <= rows_);
  if (!own_pages_) return;
  // Only pages that hold nothing but these rows.
  const std::size_t page = page_bytes();
  char* const storage = reinterpret_cast<char*>(storage_.get());
  const auto place_of = [&](std::size_t i) {
    return static_cast<std::size_t>(reinterpret_cast<char*>(first_ - free_.front + i * stride_) - storage);
  };
  const std::size_t begin = (place_of(first) + page - 1) / page * page, end = place_of(last) / page * page;
  if (begin < end) ::madvise(storage + begin, end - begin, MADV_DONTNEED);
}

template <class Number>
std::vector<BasicMatrix<Number>> BasicMatrix<Number>::split_rows(std::span<const std::size_t> counts) && {
  FEDRK_EXPECTS(std::accumulate(counts.begin(), counts.end(), std::size_t{0}) == rows_);
  std::vector<BasicMatrix> pieces;
  pieces.reserve(counts.size());
  Number* first = first_;
  for (const std::size_t count : counts) {
    BasicMatrix& piece = pieces.emplace_back();
    piece.storage_ = storage_;
    piece.first_ = first;
    piece.rows_ = count;
    piece.cols_ = cols_;
    piece.stride_ = stride_;
    piece.free_ = free_;
    piece.is_view_ = is_view_;
    piece.own_pages_ = own_pages_;
    first += count * stride_;
  }
  *this = BasicMatrix();
  return pieces;
}

template class BasicMatrix<double>;
template class BasicMatrix<float>;

}  // namespace fedrk

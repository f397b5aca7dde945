// SPDX-License-Identifier: Apache-2.0
#include "problem/sparse_cross_products.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "linalg/double_double.hpp"
#include "linalg/simd/kernel_table.hpp"
#include "problem/cross_products.hpp"

namespace fedrk {
namespace {

std::optional<std::size_t> place_of(std::size_t column, std::span<const std::uint32_t> columns) {
  const auto found = std::ranges::lower_bound(columns, column);
  if (found == columns.end() || *found != column) return std::nullopt;
  return static_cast<std::size_t>(found - columns.begin());
}

// One row [a b 1] with scaled entries: with the column of ones, the sums of the columns are cross-products too.
class ScaledRow {
 public:
  explicit ScaledRow(const Frame& frame) : frame_(frame) {}

  template <class Number>
  void assign(const BasicSparseRow<Number>& row, double b) {
    columns_.assign(row.columns.begin(), row.columns.end());
    highs_.resize(columns_.size());
    lows_.assign(columns_.size() + 2, 0.0);
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      highs_[k] = usable(static_cast<double>(row.values[k]) * frame_.inverse_scale[columns_[k]]);
    }
    for (const PowerTerm& term : frame_.powers) put_power(term, row);
    const auto n = static_cast<std::uint32_t>(frame_.centre.size());
    columns_.insert(columns_.end(), {n, n + 1});
    highs_.insert(highs_.end(), {usable(b), 1.0});
  }

  void add_products(double* high, double* low) const {
    detail::kernels().add_sparse_pairs(highs_.data(), lows_.data(), columns_.data(), columns_.size(),
                                       frame_.centre.size() + 2, high, low);
  }

 private:
  static double usable(double entry) { return std::abs(entry) < detail::kMinFactor ? 0.0 : entry; }

  // A power of zero is zero, so it stands where its source does.
  template <class Number>
  void put_power(const PowerTerm& term, const BasicSparseRow<Number>& row) {
    const auto place = place_of(term.column, columns_), source = place_of(term.source, columns_);
    if (!place) return;
    const double value = source ? static_cast<double>(row.values[*source]) : 0.0;
    detail::kernels().power_pairs(&value, 1, term.exponent, 0.0, frame_.inverse_scale[term.column], &highs_[*place],
                                  &lows_[*place]);
  }

  const Frame& frame_;
  std::vector<std::uint32_t> columns_;
  std::vector<double> highs_, lows_;
};

// A packed triangle of pairs.
struct Triangle {
  explicit Triangle(std::size_t side)
      : cols(side), highs(side * (side + 1) / 2, 0.0), lows(side * (side + 1) / 2, 0.0) {}

  std::size_t place(std::size_t i, std::size_t j) const { return i * cols - i * (i + 1) / 2 + j; }  // i <= j
  DoubleDouble at(std::size_t i, std::size_t j) const { return {highs[place(i, j)], lows[place(i, j)]}; }

  std::size_t cols;
  AlignedVector highs, lows;
};

// From the sums over [a b 1] to those over [a - c, b].
AlignedVector centred(const Triangle& sums, const Frame& frame) {
  const std::size_t n = frame.centre.size(), length = cross_product_count(n);
  const double rows = sums.at(n + 1, n + 1).high;
  std::vector<double> centre(n + 1, 0.0);  // scaled
  for (std::size_t j = 0; j < n; ++j) centre[j] = frame.centre[j] * frame.inverse_scale[j];
  AlignedVector result(2 * length);
  std::size_t to = 0;
  for (std::size_t i = 0; i <= n; ++i) {
    const DoubleDouble rest = sums.at(i, n + 1) - two_product(rows, centre[i]);  // the sum of the centred column
    for (std::size_t j = i; j <= n; ++j, ++to) {
      const DoubleDouble entry = sums.at(i, j) - sums.at(j, n + 1) * centre[i] - rest * centre[j];
      result[to] = entry.high;
      result[to + length] = entry.low;
    }
  }
  return result;
}

template <class Number>
AlignedVector pairs_of(const BasicSparseMatrix<Number>& rows, std::span<const double> rhs, const Frame& frame) {
  Triangle sums(frame.centre.size() + 2);
  ScaledRow row(frame);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    row.assign(rows.row(i), rhs[i]);
    row.add_products(sums.highs.data(), sums.lows.data());
  }
  return centred(sums, frame);
}

}  // namespace

AlignedVector sparse_cross_product_pairs(const SparseMatrix& rows, std::span<const double> rhs, const Frame& frame) {
  return pairs_of(rows, rhs, frame);
}
AlignedVector sparse_cross_product_pairs(const SparseMatrix32& rows, std::span<const double> rhs, const Frame& frame) {
  return pairs_of(rows, rhs, frame);
}

}  // namespace fedrk

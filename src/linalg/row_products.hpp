// SPDX-License-Identifier: Apache-2.0
#pragma once

// Products of a vector with many rows, and sums of many rows: four dense rows at a time, so that the vector is read a
// quarter as often. The bits are those of one row after another.

#include <array>
#include <cstddef>
#include <span>
#include <type_traits>

#include "fedrk/contracts.hpp"
#include "linalg/kernels.hpp"

namespace fedrk {
namespace detail {

template <class Row>
inline constexpr bool kDenseRow =
    std::is_same_v<Row, std::span<const double>> || std::is_same_v<Row, std::span<const float>>;

// Calls four(k, the rows k .. k+3) as often as it goes, then one(k, row k) for the rest.
template <class RowAt, class Four, class One>
void by_fours(std::size_t count, const RowAt& row_at, const Four& four, const One& one) {
  using Row = std::remove_cvref_t<decltype(row_at(std::size_t{0}))>;
  std::size_t k = 0;
  if constexpr (kDenseRow<Row>) {
    for (; k + 4 <= count; k += 4) four(k, std::array<Row, 4>{row_at(k), row_at(k + 1), row_at(k + 2), row_at(k + 3)});
  }
  for (; k < count; ++k) one(k, row_at(k));
}

}  // namespace detail

/// products[k] = <row_at(k), x>
template <class RowAt>
void multiply_rows(const RowAt& row_at, std::span<const double> x, std::span<double> products) {
  detail::by_fours(
      products.size(), row_at,
      [&](std::size_t k, const auto& rows) {
        const auto four = dot4(rows, x);
        for (std::size_t i = 0; i < 4; ++i) products[k + i] = four[i];
      },
      [&](std::size_t k, const auto& row) { products[k] = dot(row, x); });
}

/// x += weights[k] row_at(k) for k = 0, 1, ...
template <class RowAt>
void add_rows(const RowAt& row_at, std::span<const double> weights, std::span<double> x) {
  detail::by_fours(
      weights.size(), row_at,
      [&](std::size_t k, const auto& rows) {
        axpy4({weights[k], weights[k + 1], weights[k + 2], weights[k + 3]}, rows, x);
      },
      [&](std::size_t k, const auto& row) { axpy(weights[k], row, x); });
}

/// Calls visit(column, value) for the stored entries of a row.
template <class Number, class Visit>
void for_each_entry(std::span<const Number> row, Visit visit) {
  for (std::size_t j = 0; j < row.size(); ++j) visit(j, row[j]);
}

template <class Number, class Visit>
void for_each_entry(const BasicSparseRow<Number>& row, Visit visit) {
  for (std::size_t k = 0; k < row.values.size(); ++k) visit(row.columns[k], row.values[k]);
}

}  // namespace fedrk

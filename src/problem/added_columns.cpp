// SPDX-License-Identifier: Apache-2.0
#include "problem/added_columns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "fedrk/contracts.hpp"
#include "fedrk/error.hpp"
#include "problem/rewritten_rows.hpp"

namespace fedrk {
namespace {

template <class Number>
Number power_in_row(double x, unsigned exponent, std::size_t row) {
  const double power = rounded_power(x, exponent);
  if (std::abs(power) <= static_cast<double>(std::numeric_limits<Number>::max())) return static_cast<Number>(power);
  throw InvalidArgument("row " + std::to_string(row + 1) + ": a number to the power of " + std::to_string(exponent) +
                        " is beyond the range of numbers");
}

template <class Number>
void append(BasicMatrix<Number>& matrix, std::span<const PowerTerm> powers) {
  matrix.add_columns({.back = powers.size()});
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    const auto row = matrix.row(i);
    for (const PowerTerm& term : powers) row[term.column] = power_in_row<Number>(row[term.source], term.exponent, i);
  }
}

template <class Number>
void append(BasicSparseMatrix<Number>& matrix, std::span<const PowerTerm> powers) {
  const std::size_t nonzeros = matrix.nonzeros() + matrix.rows();
  const auto add_powers = [&](std::size_t i, auto& columns, auto& values) {
    const auto row = matrix.row(i);
    for (const PowerTerm& term : powers) {
      const auto found = std::ranges::lower_bound(row.columns, static_cast<std::uint32_t>(term.source));
      if (found == row.columns.end() || *found != term.source) continue;  // a power of zero
      const Number x = row.values[static_cast<std::size_t>(found - row.columns.begin())];
      columns.push_back(static_cast<std::uint32_t>(term.column));
      values.push_back(power_in_row<Number>(x, term.exponent, i));
    }
  };
  matrix = rewritten_rows(matrix, matrix.cols() + powers.size(), nonzeros, add_powers);
}

template <class Number>
void append(BasicMatrix<Number>& matrix, std::size_t count, RngStream& stream) {
  matrix.add_columns({.back = count});
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    for (Number& value : matrix.row(i).last(count)) value = static_cast<Number>(stream.gaussian());
  }
}

template <class Number>
void append(BasicSparseMatrix<Number>& matrix, std::size_t count, RngStream& stream) {
  const std::size_t nonzeros = matrix.nonzeros() + matrix.rows() * count;
  matrix = rewritten_rows(matrix, matrix.cols() + count, nonzeros, [&](std::size_t, auto& columns, auto& values) {
    for (std::size_t k = 0; k < count; ++k) {
      columns.push_back(static_cast<std::uint32_t>(matrix.cols() + k));
      values.push_back(static_cast<Number>(stream.gaussian()));
    }
  });
}

}  // namespace

double rounded_power(double x, unsigned exponent) {
  FEDRK_EXPECTS(exponent >= 1);
  double high = x, low = 0.0;  // the power so far is their sum
  for (unsigned k = 1; k < exponent; ++k) {
    const double product = high * x;
    if (!std::isfinite(product)) return product;
    const double rest = std::fma(low, x, std::fma(high, x, -product));
    high = product + rest;
    low = rest - (high - product);
  }
  return high;
}

void add_powers(LinearSystem& system, std::span<const PowerTerm> powers) {
  if (powers.empty()) return;
  FEDRK_EXPECTS(powers.front().column == column_count(system.rows));
  std::visit([&](auto& matrix) { append(matrix, powers); }, system.rows);
}

void add_noise_columns(LinearSystem& system, std::size_t count, RngStream stream) {
  if (count == 0) return;
  std::visit([&](auto& matrix) { append(matrix, count, stream); }, system.rows);
}

}  // namespace fedrk

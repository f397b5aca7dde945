// SPDX-License-Identifier: Apache-2.0
#include "fedrk/system.hpp"

#include <algorithm>

#include "linalg/row_products.hpp"
#include "problem/rewritten_rows.hpp"

namespace fedrk {
namespace {

template <class Number>
bool is_zero(std::span<const Number> row) {
  return std::ranges::all_of(row, [](Number v) { return v == Number{0}; });
}
template <class Number>
bool is_zero(const BasicSparseRow<Number>& row) {
  return is_zero(row.values);
}

template <class Number>
void put_ones_before(BasicMatrix<Number>& matrix) {
  matrix.add_columns({.front = 1});
  for (std::size_t i = 0; i < matrix.rows(); ++i) matrix.row(i)[0] = Number{1};
}

template <class Number>
void put_ones_before(BasicSparseMatrix<Number>& matrix) {
  matrix.add_columns({.front = 1});
  const std::size_t nonzeros = matrix.nonzeros() + matrix.rows();
  matrix = rewritten_rows(matrix, matrix.cols(), nonzeros, [](std::size_t, auto& columns, auto& values) {
    columns.insert(columns.begin(), 0);
    values.insert(values.begin(), Number{1});
  });
}

template <class Number>
BasicMatrix<Number> part_of(const BasicMatrix<Number>& matrix, std::span<const std::uint32_t> columns) {
  BasicMatrix<Number> part(matrix.rows(), columns.size());
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    for (std::size_t k = 0; k < columns.size(); ++k) part.row(i)[k] = matrix.row(i)[columns[k]];
  }
  return part;
}

template <class Number>
BasicSparseMatrix<Number> part_of(const BasicSparseMatrix<Number>& matrix, std::span<const std::uint32_t> columns) {
  return rewritten_rows(matrix, columns.size(), 0, [&](std::size_t i, auto& kept, auto& values) {
    const auto row = matrix.row(i);
    kept.clear();
    values.clear();
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      const auto place = std::ranges::lower_bound(columns, row.columns[k]);
      if (place == columns.end() || *place != row.columns[k]) continue;
      kept.push_back(static_cast<std::uint32_t>(place - columns.begin()));
      values.push_back(row.values[k]);
    }
  });
}

}  // namespace

void add_intercept(LinearSystem& system) {
  std::visit([](auto& matrix) { put_ones_before(matrix); }, system.rows);
}

LinearSystem copy_of(const LinearSystem& system) {
  return {std::visit(
              [](const auto& matrix) -> Rows {
                if constexpr (requires { matrix.clone(); }) {
                  return matrix.clone();
                } else {
                  return matrix;
                }
              },
              system.rows),
          system.rhs};
}

std::vector<double> multiply(const Rows& rows, std::span<const double> x) {
  return std::visit(
      [&](const auto& matrix) {
        std::vector<double> products(matrix.rows());
        multiply_rows([&](std::size_t i) { return matrix.row(i); }, x, products);
        return products;
      },
      rows);
}

AlignedVector combine(const Rows& rows, std::span<const double> y) {
  return std::visit(
      [&](const auto& matrix) {
        AlignedVector sum(matrix.cols(), 0.0);
        add_rows([&](std::size_t i) { return matrix.row(i); }, y, sum);
        return sum;
      },
      rows);
}

LinearSystem restrict_to(const LinearSystem& system, std::span<const std::uint32_t> columns) {
  return {std::visit([&](const auto& matrix) -> Rows { return part_of(matrix, columns); }, system.rows), system.rhs};
}

double squared_residual(const LinearSystem& system, std::span<const double> x) {
  const std::vector<double> products = multiply(system.rows, x);
  double sum = 0.0;
  for (std::size_t i = 0; i < products.size(); ++i) {
    const double r = system.rhs[i] - products[i];
    sum += r * r;
  }
  return sum;
}

std::optional<std::size_t> find_contradictory_row(const LinearSystem& system) {
  return std::visit(
      [&](const auto& matrix) -> std::optional<std::size_t> {
        for (std::size_t i = 0; i < matrix.rows(); ++i) {
          if (system.rhs[i] != 0.0 && is_zero(matrix.row(i))) return i;
        }
        return std::nullopt;
      },
      system.rows);
}

}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#include "fedrk/problem/linear_system.hpp"

#include <algorithm>

#include "fedrk/linalg/row_products.hpp"

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
  BasicSparseMatrix<Number> widened(matrix.cols());
  widened.reserve(matrix.rows(), matrix.nonzeros() + matrix.rows());
  std::vector<std::uint32_t> columns;
  std::vector<Number> values;
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    columns.assign(1, 0);
    values.assign(1, Number{1});
    columns.insert(columns.end(), matrix.row(i).columns.begin(), matrix.row(i).columns.end());
    values.insert(values.end(), matrix.row(i).values.begin(), matrix.row(i).values.end());
    widened.append_row(columns, values);
  }
  matrix = std::move(widened);
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

double squared_residual(const LinearSystem& system, std::span<const double> x) {
  return std::visit(
      [&](const auto& matrix) {
        std::vector<double> products(matrix.rows());
        multiply_rows([&](std::size_t i) { return matrix.row(i); }, x, products);
        double sum = 0.0;
        for (std::size_t i = 0; i < products.size(); ++i) {
          const double r = system.rhs[i] - products[i];
          sum += r * r;
        }
        return sum;
      },
      system.rows);
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

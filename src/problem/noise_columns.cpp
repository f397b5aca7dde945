// SPDX-License-Identifier: Apache-2.0
#include "problem/noise_columns.hpp"

namespace fedrk {
namespace {

template <class Number>
void append(BasicMatrix<Number>& matrix, std::size_t count, RngStream& stream) {
  matrix.add_columns({.back = count});
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    for (Number& value : matrix.row(i).last(count)) value = static_cast<Number>(stream.gaussian());
  }
}

template <class Number>
void append(BasicSparseMatrix<Number>& matrix, std::size_t count, RngStream& stream) {
  BasicSparseMatrix<Number> widened(matrix.cols() + count);
  widened.reserve(matrix.rows(), matrix.nonzeros() + matrix.rows() * count);
  std::vector<std::uint32_t> columns;
  std::vector<Number> values;
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    const auto row = matrix.row(i);
    columns.assign(row.columns.begin(), row.columns.end());
    values.assign(row.values.begin(), row.values.end());
    for (std::size_t k = 0; k < count; ++k) {
      columns.push_back(static_cast<std::uint32_t>(matrix.cols() + k));
      values.push_back(static_cast<Number>(stream.gaussian()));
    }
    widened.append_row(columns, values);
  }
  matrix = std::move(widened);
}

}  // namespace

void add_noise_columns(LinearSystem& system, std::size_t count, RngStream stream) {
  if (count == 0) return;
  std::visit([&](auto& matrix) { append(matrix, count, stream); }, system.rows);
}

}  // namespace fedrk

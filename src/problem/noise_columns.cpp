// SPDX-License-Identifier: Apache-2.0
#include "fedrk/problem/noise_columns.hpp"

namespace fedrk {
namespace {

void append(Matrix& matrix, std::size_t count, RngStream& stream) {
  matrix.add_columns({.back = count});
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    for (double& value : matrix.row(i).last(count)) value = stream.gaussian();
  }
}

void append(SparseMatrix& matrix, std::size_t count, RngStream& stream) {
  SparseMatrix widened(matrix.cols() + count);
  widened.reserve(matrix.rows(), matrix.nonzeros() + matrix.rows() * count);
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    const SparseRow row = matrix.row(i);
    columns.assign(row.columns.begin(), row.columns.end());
    values.assign(row.values.begin(), row.values.end());
    for (std::size_t k = 0; k < count; ++k) {
      columns.push_back(static_cast<std::uint32_t>(matrix.cols() + k));
      values.push_back(stream.gaussian());
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

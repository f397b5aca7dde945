// SPDX-License-Identifier: Apache-2.0
#include "problem/noise_columns.hpp"
#include "problem/rewritten_rows.hpp"

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
  const std::size_t nonzeros = matrix.nonzeros() + matrix.rows() * count;
  matrix = rewritten_rows(matrix, matrix.cols() + count, nonzeros, [&](std::size_t, auto& columns, auto& values) {
    for (std::size_t k = 0; k < count; ++k) {
      columns.push_back(static_cast<std::uint32_t>(matrix.cols() + k));
      values.push_back(static_cast<Number>(stream.gaussian()));
    }
  });
}

}  // namespace

void add_noise_columns(LinearSystem& system, std::size_t count, RngStream stream) {
  if (count == 0) return;
  std::visit([&](auto& matrix) { append(matrix, count, stream); }, system.rows);
}

}  // namespace fedrk

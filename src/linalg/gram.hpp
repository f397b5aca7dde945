// SPDX-License-Identifier: Apache-2.0
#pragma once

// The inner products of rows with each other, G = A A^T.
//
// Dense rows are multiplied in blocks that stay in the caches. The sum behind an entry has a fixed order, the same for
// every instruction set; it is not the order of `dot`.

#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "fedrk/matrix.hpp"
#include "linalg/kernels.hpp"

namespace fedrk {

/// G_ij = <rows[i], rows[j]>, both triangles.
Matrix gram_matrix(std::span<const std::span<const double>> rows);
Matrix gram_matrix(std::span<const std::span<const float>> rows);

/// Of sparse rows with `cols` columns.
Matrix gram_matrix(std::span<const SparseRow> rows, std::size_t cols);
Matrix gram_matrix(std::span<const SparseRow32> rows, std::size_t cols);

/// Of all rows of a matrix, dense or sparse.
template <class MatrixType>
Matrix gram_matrix_of(const MatrixType& matrix) {
  using Row = std::remove_cvref_t<decltype(matrix.row(0))>;
  std::vector<Row> rows;
  rows.reserve(matrix.rows());
  for (std::size_t i = 0; i < matrix.rows(); ++i) rows.push_back(matrix.row(i));
  if constexpr (requires { gram_matrix(std::span<const Row>(rows)); }) {
    return gram_matrix(std::span<const Row>(rows));
  } else {
    return gram_matrix(std::span<const Row>(rows), matrix.cols());
  }
}

}  // namespace fedrk

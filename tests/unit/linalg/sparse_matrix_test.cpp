// SPDX-License-Identifier: Apache-2.0
#include "fedrk/sparse_matrix.hpp"

#include <gtest/gtest.h>

#include "linalg/kernels.hpp"

namespace fedrk {
namespace {

std::vector<double> dense(const SparseMatrix& matrix, std::size_t i) {
  std::vector<double> row(matrix.cols(), 0.0);
  axpy(1.0, matrix.row(i), row);
  return row;
}

using Row = std::vector<double>;

TEST(SparseMatrix, SortsEntriesAndAddsUpThoseAtTheSamePlace) {
  const SparseMatrix matrix(3, 3, {{2, 1, 5.0}, {0, 2, 1.0}, {0, 0, 2.0}, {2, 1, -1.0}});

  EXPECT_EQ(matrix.rows(), 3);
  EXPECT_EQ(matrix.nonzeros(), 3);
  EXPECT_EQ(dense(matrix, 0), (Row{2.0, 0.0, 1.0}));
  EXPECT_EQ(dense(matrix, 1), (Row{0.0, 0.0, 0.0}));
  EXPECT_EQ(dense(matrix, 2), (Row{0.0, 4.0, 0.0}));
}

TEST(SparseMatrix, WidensOnBothSides) {
  SparseMatrix matrix(1, 2, {{0, 0, 1.0}, {0, 1, 2.0}});

  matrix.add_columns({.front = 1, .back = 2});

  EXPECT_EQ(dense(matrix, 0), (Row{0.0, 1.0, 2.0, 0.0, 0.0}));
}

TEST(SparseMatrix, PermutesAndSplitsRows) {
  SparseMatrix matrix(3, 1, {{0, 0, 1.0}, {2, 0, 3.0}});

  matrix.permute_rows(std::vector<std::size_t>{2, 0, 1});
  const auto pieces = std::move(matrix).split_rows(std::vector<std::size_t>{1, 2});

  EXPECT_EQ(dense(pieces[0], 0), Row{3.0});
  EXPECT_EQ(dense(pieces[1], 0), Row{1.0});
  EXPECT_EQ(dense(pieces[1], 1), Row{0.0});
}

}  // namespace
}  // namespace fedrk

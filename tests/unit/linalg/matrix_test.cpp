// SPDX-License-Identifier: Apache-2.0
#include "fedrk/linalg/matrix.hpp"

#include <new>

#include <gtest/gtest.h>

namespace fedrk {
namespace {

std::vector<double> row_of(const Matrix& matrix, std::size_t i) { return {matrix.row(i).begin(), matrix.row(i).end()}; }

using Row = std::vector<double>;

TEST(Matrix, TakesFreeColumnsInPlace) {
  Matrix matrix(2, 2, {.front = 1, .back = 2});
  matrix.row(1)[0] = 5.0;
  const double* before = matrix.row(1).data();

  matrix.add_columns({.front = 1, .back = 2});

  EXPECT_EQ(matrix.row(1).data(), before - 1);
  EXPECT_EQ(row_of(matrix, 1), (Row{0.0, 5.0, 0.0, 0.0, 0.0}));
}

TEST(Matrix, MovesToNewStorageWhereThereIsNoRoom) {
  Matrix matrix{{1.0, 2.0}, {3.0, 4.0}};

  matrix.add_columns({.front = 1, .back = 1});

  EXPECT_EQ(row_of(matrix, 0), (Row{0.0, 1.0, 2.0, 0.0}));
  EXPECT_EQ(row_of(matrix, 1), (Row{0.0, 3.0, 4.0, 0.0}));
}

TEST(Matrix, PermutesRowsInPlace) {
  Matrix matrix{{0.0}, {1.0}, {2.0}, {3.0}, {4.0}};

  matrix.permute_rows(std::vector<std::size_t>{2, 0, 1, 4, 3});

  EXPECT_EQ(row_of(matrix, 0), Row{2.0});
  EXPECT_EQ(row_of(matrix, 1), Row{0.0});
  EXPECT_EQ(row_of(matrix, 2), Row{1.0});
  EXPECT_EQ(row_of(matrix, 3), Row{4.0});
  EXPECT_EQ(row_of(matrix, 4), Row{3.0});
}

TEST(Matrix, SplitsWithoutCopyingAndEachPieceIsItsOwnersToChange) {
  Matrix matrix(3, 1, {.back = 1});
  for (std::size_t i = 0; i < 3; ++i) matrix.row(i)[0] = static_cast<double>(i);
  const double* storage = matrix.row(0).data();

  auto pieces = std::move(matrix).split_rows(std::vector<std::size_t>{1, 2});
  pieces[0].add_columns({.back = 1});
  pieces[0].row(0)[1] = 9.0;

  EXPECT_EQ(pieces[0].row(0).data(), storage);
  EXPECT_EQ(pieces[1].rows(), 2);
  EXPECT_EQ(row_of(pieces[0], 0), (Row{0.0, 9.0}));
  EXPECT_EQ(row_of(pieces[1], 0), Row{1.0});
  EXPECT_EQ(row_of(pieces[1], 1), Row{2.0});
}

TEST(Matrix, RefusesASizeThatOverflows) {
  const std::size_t all = ~std::size_t{0};

  EXPECT_THROW(Matrix(std::size_t{1} << 40, std::size_t{1} << 40), std::bad_alloc);
  EXPECT_THROW(Matrix(2, 2, {.back = all}), std::bad_alloc);  // the width would wrap round to one column
  EXPECT_THROW(Matrix(2, 2).add_columns({.front = all}), std::bad_alloc);
}

TEST(Matrix, IsEmptyAfterItWasMovedFrom) {
  Matrix from{{1.0, 2.0}};

  const Matrix to = std::move(from);

  EXPECT_EQ(from.rows(), 0);  // NOLINT: the point of the test
  EXPECT_EQ(to.row(0)[1], 2.0);
}

}  // namespace
}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#include "fedrk/matrix.hpp"

#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>

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

TEST(Matrix, StartsTheRowsOfAWideMatrixOnCacheLines) {
  for (const std::size_t cols : {1U, 7U, 127U, 128U, 129U, 1000U, 1025U}) {
    Matrix matrix(3, cols, {.front = 1, .back = 2});
    const std::size_t stride = matrix.stride();
    matrix.row(2)[cols - 1] = 5.0;

    matrix.add_columns({.front = 1, .back = 2});

    EXPECT_EQ(matrix.stride(), stride) << "the columns were there";
    EXPECT_EQ(matrix.row(1).data() - matrix.row(0).data(), static_cast<std::ptrdiff_t>(stride));
    EXPECT_EQ(matrix.row(2)[cols], 5.0);
    EXPECT_EQ(matrix.row(2)[cols + 2], 0.0);
    if (cols < 125) {
      EXPECT_EQ(stride, cols + 3);
    } else {
      EXPECT_LT(stride, cols + 3 + 8);
      EXPECT_EQ(stride % 8, 0U);
      for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(reinterpret_cast<std::uintptr_t>(matrix.row(i).data()) % 64, 0U);
    }
  }
}

TEST(Matrix, AddsMoreColumnsThanTheFillingHolds) {
  Matrix matrix(2, 130);  // filled up to 136
  matrix.row(1)[129] = 5.0;

  matrix.add_columns({.back = 6});
  matrix.row(0)[135] = 3.0;
  matrix.add_columns({.back = 1});

  EXPECT_EQ(matrix.cols(), 137U);
  EXPECT_EQ(matrix.row(1)[129], 5.0);
  EXPECT_EQ(matrix.row(0)[135], 3.0);
  EXPECT_EQ(matrix.row(0)[136], 0.0);
}

TEST(Matrix, OfAnySizeStartsWithZeros) {
  for (const std::size_t rows : {1U, 4095U, 4096U, 5001U}) {  // of 1 KB: from 4 MB on in pages of its own
    for (int again = 0; again < 2; ++again) {                 // the second may get the memory of the first
      Matrix matrix(rows, 128);
      for (std::size_t i = 0; i < rows; ++i) {
        for (double& value : matrix.row(i)) EXPECT_EQ(std::exchange(value, 7.0), 0.0);
      }
    }
  }
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(Matrix(4096, 128).row(0).data()) % (2U << 20U), 0U);
}

// Of a large storage, and of a small one that shares its pages with others.
TEST(Matrix, GivesRowsBackAndKeepsTheOthers) {
  for (const std::size_t cols : {3U, 1000U, 1027U}) {
    Matrix matrix(1001, cols, {.front = 1, .back = 1});
    for (std::size_t i = 0; i < 1001; ++i) std::ranges::fill(matrix.row(i), static_cast<double>(i));
    auto pieces = std::move(matrix).split_rows(std::vector<std::size_t>{300, 401, 300});

    pieces[1].give_back(100, 401);
    pieces[1].give_back(0, 0);

    const auto all_are = [](std::span<const double> row, std::size_t value) {
      return std::ranges::all_of(row, [=](double entry) { return entry == static_cast<double>(value); });
    };
    for (std::size_t i = 0; i < 300; ++i) {
      EXPECT_TRUE(all_are(pieces[0].row(i), i));
      EXPECT_TRUE(all_are(pieces[2].row(i), 701 + i));
      EXPECT_TRUE(i >= 100 || all_are(pieces[1].row(i), 300 + i));
    }
    EXPECT_EQ(pieces[1].row(250)[0], cols >= 1000 ? 0.0 : 550.0) << "a fresh page where it is large";
    pieces[1].row(250)[0] = 1.0;
    EXPECT_EQ(pieces[1].row(250)[0], 1.0);
  }
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

// ---- Views.

TEST(MatrixView, ReadsTheCallersMemoryWhereItIs) {
  const Row memory{1.0, 2.0, -1.0, 3.0, 4.0, -1.0};

  const Matrix matrix = Matrix::view(memory.data(), 2, 2, 3);

  EXPECT_EQ(row_of(matrix, 1), (Row{3.0, 4.0}));
  EXPECT_EQ(matrix.row(1).data(), memory.data() + 3);
}

TEST(MatrixView, IsCopiedBeforeItIsChanged) {
  const Row memory{1.0, 2.0, 3.0, 4.0};
  const auto changed = [&](auto change) {
    Matrix matrix = Matrix::view(memory.data(), 2, 2);
    change(matrix);
    EXPECT_FALSE(matrix.is_view());
    return row_of(matrix, 0);
  };

  EXPECT_EQ(changed([](Matrix& matrix) { matrix.row(0)[1] = 9.0; }), (Row{1.0, 9.0}));
  EXPECT_EQ(changed([](Matrix& matrix) { matrix.values(0)[0] = 9.0; }), (Row{9.0, 2.0}));
  EXPECT_EQ(changed([](Matrix& matrix) { matrix.add_columns({.front = 1, .back = 1}); }), (Row{0.0, 1.0, 2.0, 0.0}));
  EXPECT_EQ(changed([](Matrix& matrix) { matrix.permute_rows(std::vector<std::size_t>{1, 0}); }), (Row{3.0, 4.0}));
  EXPECT_EQ(memory, (Row{1.0, 2.0, 3.0, 4.0}));
}

TEST(MatrixView, SplitsIntoViews) {
  const Row memory{1.0, 2.0, 3.0};

  auto pieces = Matrix::view(memory.data(), 3, 1).split_rows(std::vector<std::size_t>{1, 2});
  pieces[1].row(0)[0] = 9.0;

  EXPECT_TRUE(pieces[0].is_view());
  EXPECT_EQ(row_of(pieces[1], 1), Row{3.0});
  EXPECT_EQ(memory, (Row{1.0, 2.0, 3.0}));
}

}  // namespace
}  // namespace fedrk

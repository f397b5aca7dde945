// SPDX-License-Identifier: Apache-2.0
#include "data/matrix_market.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "support/doubles.hpp"
#include "support/temp_folder.hpp"

namespace fedrk::io {
namespace {

using test::TempFolder;
using Table = std::vector<std::vector<double>>;

// Every entry of either kind, to compare with a table written out.
Table table(const Rows& rows) {
  Table out(row_count(rows), std::vector<double>(column_count(rows), 0.0));
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (const auto* dense = std::get_if<Matrix>(&rows)) {
      out[i].assign(dense->row(i).begin(), dense->row(i).end());
    } else {
      const SparseRow row = std::get<SparseMatrix>(rows).row(i);
      for (std::size_t k = 0; k < row.values.size(); ++k) out[i][row.columns[k]] = row.values[k];
    }
  }
  return out;
}

Table read(const std::string& content) {
  const TempFolder folder;
  const auto rows = read_matrix_market(folder.write("a.mtx", content));
  EXPECT_TRUE(rows) << rows.error().message;
  return rows ? table(*rows) : Table{};
}

const std::string kBanner = "%%MatrixMarket matrix ";

TEST(MatrixMarket, ReadsEveryKindOfCoordinateFile) {
  EXPECT_EQ(read(kBanner + "coordinate real general\n% note\n\n2 3 3\n1 1 1.5\n\n2 3 -2\n1\t2  +3 \n"),
            (Table{{1.5, 3, 0}, {0, 0, -2}}));
  EXPECT_EQ(read("%%matrixmarket MATRIX Coordinate Integer General\r\n2 2 2\r\n1 1 4\r\n1 1 5"),
            (Table{{9, 0}, {0, 0}}));
  EXPECT_EQ(read(kBanner + "coordinate pattern general\n2 2 2\n1 2\n2 1\n"), (Table{{0, 1}, {1, 0}}));
  EXPECT_EQ(read(kBanner + "coordinate real symmetric\n2 2 2\n1 1 1\n2 1 5\n"), (Table{{1, 5}, {5, 0}}));
  EXPECT_EQ(read(kBanner + "coordinate pattern symmetric\n2 2 1\n2 1\n"), (Table{{0, 1}, {1, 0}}));
  EXPECT_EQ(read(kBanner + "coordinate real skew-symmetric\n2 2 1\n2 1 5\n"), (Table{{0, -5}, {5, 0}}));
  EXPECT_EQ(read(kBanner + "coordinate real general\n2 2 0\n"), (Table{{0, 0}, {0, 0}}));
}

TEST(MatrixMarket, ReadsArraysDownTheColumns) {
  EXPECT_EQ(read(kBanner + "array real general\n2 3\n1\n2\n3\n4\n5\n6\n"), (Table{{1, 3, 5}, {2, 4, 6}}));
  EXPECT_EQ(read(kBanner + "array integer symmetric\n3 3\n1\n2\n3\n4\n5\n6\n"),
            (Table{{1, 2, 3}, {2, 4, 5}, {3, 5, 6}}));
  EXPECT_EQ(read(kBanner + "array real skew-symmetric\n3 3\n1\n2\n3\n"), (Table{{0, -1, -2}, {1, 0, -3}, {2, 3, 0}}));
  EXPECT_EQ(read(kBanner + "array real general\n1 1\n7"), (Table{{7}}));
}

TEST(MatrixMarket, KeepsTheKindAndTheMargins) {
  const TempFolder folder;
  const auto path = folder.write("a.mtx", kBanner + "array real general\n2 1\n1\n2\n");

  auto rows = read_matrix_market(path, {.front = 1, .back = 0});

  ASSERT_TRUE(rows);
  auto& matrix = std::get<Matrix>(*rows);
  const double* const before = matrix.row(0).data();
  matrix.add_columns({.front = 1, .back = 0});
  EXPECT_EQ(matrix.row(0).data() + 1, before);
}

TEST(MatrixMarket, NamesThePlaceTheFactAndTheExpectation) {
  const std::string real = kBanner + "coordinate real general\n", array = kBanner + "array real general\n";
  const std::string symmetric = kBanner + "coordinate real symmetric\n",
                    skew = kBanner + "coordinate real skew-symmetric\n";
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "a.mtx: the file is empty"},
      {"\n\n", "a.mtx: the file is blank"},
      {"1 2 3\n",
       "a.mtx:1: expected a banner such as '%%MatrixMarket matrix coordinate real general', found other text"},
      {"%%MatrixMarket vector\n", "a.mtx:1: this object is not supported; expected matrix"},
      {kBanner + "dense real general\n", "a.mtx:1: this format is not supported; expected coordinate or array"},
      {kBanner + "coordinate complex general\n",
       "a.mtx:1: this field is not supported; expected real, integer or pattern"},
      {kBanner + "array real hermitian\n",
       "a.mtx:1: this symmetry is not supported; expected general, symmetric or skew-symmetric"},
      {kBanner + "array real\n",
       "a.mtx:1: this symmetry is not supported; expected general, symmetric or skew-symmetric"},
      {kBanner + "array pattern general\n",
       "a.mtx:1: a pattern has no values; expected coordinate and general or symmetric"},
      {real, "a.mtx: expected a line with the sizes after the banner, found none"},
      {real + "2 2\n1 1 1\n", "a.mtx:2: expected 'rows columns entries', found 2 fields"},
      {real + "2 2 1 1\n1 1 1\n", "a.mtx:2: expected 'rows columns entries', found more fields"},
      {real + "2 -2 1\n1 1 1\n", "a.mtx:2: 'rows columns entries': expected a whole number, found another number"},
      {real + "99999999999999999999 2 1\n1 1 1\n", "a.mtx:2: 'rows columns entries': the number is too large"},
      {array + "2\n1\n2\n", "a.mtx:2: expected 'rows columns', found 1 fields"},
      {real + "0 2 0\n", "a.mtx:2: expected at least one row and one column, found 0 x 2"},
      {real + "2 4294967296 1\n1 1 1\n", "a.mtx:2: expected at most 4294967295 rows and columns, found 2 x 4294967296"},
      {real + "2 2 1000000000000\n1 1 1\n", "a.mtx:2: more entries announced than the 5 bytes that follow can hold"},
      {array + "4294967295 4294967295\n1\n", "a.mtx:2: more entries announced than the 1 bytes that follow can hold"},
      {kBanner + "array real symmetric\n4294967295 4294967295\n1\n",
       "a.mtx:2: more entries announced than the 1 bytes that follow can hold"},
      {real + "4294967295 2 1\n1 1 1\n",
       "a.mtx:2: too many rows announced; expected at most 4194309 in a file of this size"},
      {symmetric + "3 4 1\n1 1 1\n", "a.mtx:2: expected a square matrix for this symmetry, found 3 x 4"},
      {real + "2 2 1\n3 1 1\n", "a.mtx:3: row: expected a whole number from 1 to 2, found another"},
      {real + "2 2 1\n1 0 1\n", "a.mtx:3: column: expected a whole number from 1 to 2, found another"},
      {real + "2 2 1\n1 x 1\n", "a.mtx:3: column: expected a whole number, found text"},
      {real + "2 2 2\n1 1 1 \n2 2    \n", "a.mtx:4: expected 'row column value', found 2 fields"},
      {real + "2 2 1\n1 1 1 1\n", "a.mtx:3: expected 'row column value', found 4 fields"},
      {kBanner + "coordinate pattern general\n2 2 1\n1 1 1\n", "a.mtx:3: expected 'row column', found 3 fields"},
      {real + "2 2 1\n1 1 abc\n", "a.mtx:3: expected a number, found text"},
      {real + "2 2 1\n1 1 nan\n", "a.mtx:3: expected a finite number, found nan"},
      {real + "2 2 1\n1 1 1e999\n", "a.mtx:3: the number is too large for a double"},
      {kBanner + "coordinate integer general\n2 2 1\n1 1 1.5\n",
       "a.mtx:3: expected a whole number, found another number"},
      {real + "2 2 2\n1 1 1.000000\n", "a.mtx: expected 2 entries, found 1"},
      {real + "2 2 1\n1 1 1\n2 2 1\n", "a.mtx:4: expected 1 entries, found more"},
      {real + "1 1 2\n1 1 1e308\n1 1 1e308\n",
       "a.mtx: row 1: entries at the same place add up to more than a double can hold"},
      {symmetric + "2 2 1\n1 2 1\n",
       "a.mtx:3: the entry lies above the diagonal; expected only the lower triangle of a symmetric matrix"},
      {skew + "2 2 1\n1 1 1\n",
       "a.mtx:3: the entry does not lie below the diagonal, as expected for a skew-symmetric matrix"},
      {array + "2 1\n1000\n", "a.mtx: expected 2 entries, found 1"},
      {array + "2 1\n1\n2\n3\n", "a.mtx:5: expected 2 entries, found more"},
      {array + "2 1\n1\n2 3\n", "a.mtx:4: expected a number, found text"},
  };
  const TempFolder folder;
  for (const auto& [content, message] : cases) {
    const auto rows = read_matrix_market(folder.write("a.mtx", content));
    ASSERT_FALSE(rows) << message;
    EXPECT_EQ(folder.local(rows.error().message), message);
  }
}

TEST(MatrixMarket, WritesDenseRowsItReadsBackToTheSameBits) {
  const TempFolder folder;
  const auto values = test::any_doubles(400, 13);
  Matrix matrix(100, 4);
  for (std::size_t k = 0; k < values.size(); ++k) matrix.row(k / 4)[k % 4] = values[k];
  const Rows rows = std::move(matrix);

  ASSERT_TRUE(write_matrix_market(folder / "a.mtx", rows, 10, 90));
  const auto again = read_matrix_market(folder / "a.mtx");

  ASSERT_TRUE(again) << again.error().message;
  ASSERT_EQ(row_count(*again), 90U);
  for (std::size_t k = 40; k < values.size(); ++k) {
    EXPECT_TRUE(test::same_bits(std::get<Matrix>(*again).row(k / 4 - 10)[k % 4], values[k]));
  }
}

TEST(MatrixMarket, WritesSparseRowsFromTheFirstAskedFor) {
  const TempFolder folder;
  const Rows rows = SparseMatrix(3, 4, {{0, 0, 1.0}, {1, 1, 0.1}, {2, 0, -2.0}, {2, 3, 1e-300}});

  ASSERT_TRUE(write_matrix_market(folder / "a.mtx", rows, 1, 2));

  EXPECT_EQ(folder.read("a.mtx"), kBanner + "coordinate real general\n2 4 3\n1 2 0.1\n2 1 -2\n2 4 1e-300\n");
  EXPECT_EQ(read(folder.read("a.mtx")), (Table{{0, 0.1, 0, 0}, {-2, 0, 0, 1e-300}}));
}

TEST(MatrixMarket, WritesAVectorAsOneColumn) {
  const TempFolder folder;

  ASSERT_TRUE(write_matrix_market(folder / "b.mtx", std::vector{1.5, -2.0}));

  EXPECT_EQ(folder.read("b.mtx"), kBanner + "array real general\n2 1\n1.5\n-2\n");
}

}  // namespace
}  // namespace fedrk::io

// SPDX-License-Identifier: Apache-2.0
#include "data/libsvm.hpp"

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

const SparseMatrix& matrix_of(const Dataset& data) { return std::get<SparseMatrix>(data.system.rows); }

std::vector<double> values(const Dataset& data, std::size_t i) {
  const auto row = matrix_of(data).row(i).values;
  return {row.begin(), row.end()};
}

TEST(Libsvm, ReadsRowsWithCommentsAndEmptyOnes) {
  const TempFolder folder;
  const auto path = folder.write("a.svm", "# made by hand\n+1 1:0.5 7:-2 # first\r\n-1.5\n2\t3:1e-400 \n\n");

  const auto data = read_libsvm(path);

  ASSERT_TRUE(data) << data.error().message;
  EXPECT_EQ(data->system.rhs, (std::vector{1.0, -1.5, 2.0}));
  EXPECT_EQ(matrix_of(*data).cols(), 7U);
  EXPECT_EQ(values(*data, 0), (std::vector{0.5, -2.0}));
  EXPECT_EQ(matrix_of(*data).row(0).columns[1], 6U);
  EXPECT_TRUE(values(*data, 1).empty());
  EXPECT_EQ(values(*data, 2), (std::vector{0.0}));
}

TEST(Libsvm, NamesThePlaceTheFactAndTheExpectation) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "a.svm: the file is empty"},
      {"# only this\n", "a.svm: expected rows of 'label index:value ...', found none"},
      {"1\n2\n", "a.svm: expected at least one index:value pair, found none"},
      {"1 1:1\n1:0.5 2:1\n", "a.svm:2: expected a label before the pairs, found a pair"},
      {"abc 1:1\n", "a.svm:1: label: expected a number, found text"},
      {"nan 1:1\n", "a.svm:1: label: expected a finite number, found nan"},
      {"1 1:1\n1 1\n", "a.svm:2: pair 1: expected index:value, found no colon"},
      {"1 x:1\n", "a.svm:1: pair 1: index: expected a whole number, found text"},
      {"1 :1\n", "a.svm:1: pair 1: index: expected a whole number, found nothing"},
      {"1 1:\n", "a.svm:1: pair 1: value: expected a number, found nothing"},
      {"1 3:4:5\n", "a.svm:1: pair 1: value: expected a number, found text"},
      {"1 0:1\n", "a.svm:1: pair 1: expected indices from 1, found index 0"},
      {"1 2:1 5:1 5:1\n", "a.svm:1: pair 3: expected ascending indices, found one that is not above the one before it"},
      {"1 9:1 3:1\n", "a.svm:1: pair 2: expected ascending indices, found one that is not above the one before it"},
      {"1 4294967296:1\n", "a.svm:1: pair 1: expected indices up to 4294967295, found a larger one"},
      {"1 5:inf\n", "a.svm:1: pair 1: value: expected a finite number, found inf"},
      {"1 5:1e999\n", "a.svm:1: pair 1: value: the number is too large for a double"},
      {"1 qid:3 1:1\n", "a.svm:1: pair 1: qid is not supported; expected index:value"},
      {"1 1:1\n\n1 1:1\n", "a.svm:2: expected a row, found a blank line"},
      {std::string("1 1:1 # \0\n", 10), "a.svm:1: expected text, found a NUL byte"},
  };
  const TempFolder folder;
  for (const auto& [content, message] : cases) {
    const auto data = read_libsvm(folder.write("a.svm", content));
    ASSERT_FALSE(data) << message;
    EXPECT_EQ(folder.local(data.error().message), message);
  }
}

TEST(Libsvm, WritesRowsItReadsBackToTheSameBits) {
  const TempFolder folder;
  const auto numbers = test::any_doubles(500, 19);
  SparseMatrix matrix(1000);
  LinearSystem system;
  for (std::size_t i = 0; i < 100; ++i) {
    std::vector<std::uint32_t> columns;
    std::vector<double> row;
    for (std::size_t k = 0; k < 4; ++k) {
      const double value = numbers[5 * i + k];
      if (value == 0.0) continue;  // not written
      columns.push_back(static_cast<std::uint32_t>(7 * i + 10 * k));
      row.push_back(value);
    }
    matrix.append_row(columns, row);
    system.rhs.push_back(numbers[5 * i + 4]);
  }
  system.rows = std::move(matrix);

  ASSERT_TRUE(write_libsvm(folder / "a.svm", system, 20, 80));
  const auto again = read_libsvm(folder / "a.svm");

  ASSERT_TRUE(again) << again.error().message;
  ASSERT_EQ(matrix_of(*again).rows(), 80U);
  EXPECT_EQ(matrix_of(*again).cols(), 1000U);
  for (std::size_t i = 0; i < 80; ++i) {
    EXPECT_TRUE(test::same_bits(again->system.rhs[i], system.rhs[20 + i]));
    const SparseRow read = matrix_of(*again).row(i), written = std::get<SparseMatrix>(system.rows).row(20 + i);
    for (std::size_t k = 0; k < written.values.size(); ++k) {
      EXPECT_EQ(read.columns[k], written.columns[k]);
      EXPECT_TRUE(test::same_bits(read.values[k], written.values[k]));
    }
  }
}

TEST(Libsvm, LeavesZerosOutButKeepsTheWidth) {
  const TempFolder folder;
  const LinearSystem system{Matrix{{0.0, 2.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}, {7.0, 8.0, 9.0}};

  ASSERT_TRUE(write_libsvm(folder / "a.svm", system, 0, 3));

  EXPECT_EQ(folder.read("a.svm"), "7 2:2 3:0\n8 1:1\n9\n");
}

}  // namespace
}  // namespace fedrk::io

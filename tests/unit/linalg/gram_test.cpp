// SPDX-License-Identifier: Apache-2.0
#include "linalg/gram.hpp"

#include <gtest/gtest.h>

#include "fedrk/generate.hpp"
#include "linalg/instruction_set.hpp"
#include "support/instruction_sets.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

struct Size {
  std::size_t rows, cols;
};

// Around the tiles, the panels of 64 rows and the stretches of 1024 entries; one row; none.
class GramOfSize : public testing::TestWithParam<Size> {};
INSTANTIATE_TEST_SUITE_P(Nasty, GramOfSize,
                         testing::Values(Size{0, 5}, Size{1, 1}, Size{1, 9}, Size{3, 7}, Size{5, 8}, Size{63, 33},
                                         Size{64, 16}, Size{67, 1023}, Size{130, 1025}, Size{4, 2100}));

std::vector<std::vector<double>> rows_of(Size size) {
  std::vector<std::vector<double>> rows;
  for (std::size_t i = 0; i < size.rows; ++i) rows.push_back(test::gaussian_vector(size.cols, 1 + i));
  return rows;
}

TEST_P(GramOfSize, HoldsTheInnerProductsOfTheRows) {
  const auto rows = rows_of(GetParam());
  const std::vector<std::span<const double>> views(rows.begin(), rows.end());

  const Matrix gram = gram_matrix(views);

  ASSERT_EQ(gram.rows(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows.size(); ++j) {
      // n terms of size about one, in another order
      EXPECT_NEAR(gram.row(i)[j], dot(views[i], views[j]), 1e-15 * static_cast<double>(GetParam().cols + 1) * 4.0);
      EXPECT_EQ(gram.row(i)[j], gram.row(j)[i]);
    }
  }
}

TEST_P(GramOfSize, IsTheSameToTheBitWithEveryInstructionSet) {
  const auto rows = rows_of(GetParam());
  const std::vector<std::span<const double>> views(rows.begin(), rows.end());
  test::expect_same_with_every_instruction_set([&] {
    std::vector<double> entries;
    const Matrix gram = gram_matrix(views);
    for (std::size_t i = 0; i < gram.rows(); ++i) entries.insert(entries.end(), gram.row(i).begin(), gram.row(i).end());
    return entries;
  });
}

TEST_P(GramOfSize, OfFloatsIsThatOfTheSameDoubles) {
  std::vector<std::vector<float>> rows32;
  std::vector<std::vector<double>> rows;
  for (const auto& row : rows_of(GetParam())) {
    rows32.emplace_back(row.begin(), row.end());
    rows.emplace_back(rows32.back().begin(), rows32.back().end());
  }
  const Matrix gram32 = gram_matrix(std::vector<std::span<const float>>(rows32.begin(), rows32.end()));
  const Matrix gram = gram_matrix(std::vector<std::span<const double>>(rows.begin(), rows.end()));
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_TRUE(std::ranges::equal(gram32.row(i), gram.row(i)));
}

TEST(Gram, OfSparseRowsIsThatOfTheSameDenseRows) {
  const auto problem = generate({.rows = 30, .cols = 50, .density = 0.2, .seed = 4});
  const auto& sparse = std::get<SparseMatrix>(problem.system.rows);
  const auto written = test::written_out(problem.system.rows);

  const Matrix gram = gram_matrix_of(sparse);

  for (std::size_t i = 0; i < 30; ++i) {
    for (std::size_t j = 0; j < 30; ++j) EXPECT_NEAR(gram.row(i)[j], dot(written[i], written[j]), 1e-13);
  }
}

}  // namespace
}  // namespace fedrk

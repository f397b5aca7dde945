// SPDX-License-Identifier: Apache-2.0
#include "fedrk/row_block.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "fedrk/error.hpp"

namespace fedrk {
namespace {

std::string block_refusal(LinearSystem system) {
  try {
    RowBlock block(std::move(system));
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(RowBlock, KnowsTheSquaredNormsOfItsRows) {
  const RowBlock block({Matrix{{3.0, 4.0}, {0.0, 0.0}, {1.0, 0.0}}, {1.0, 0.0, 2.0}});

  EXPECT_EQ(std::vector(block.squared_norms().begin(), block.squared_norms().end()), (std::vector{25.0, 0.0, 1.0}));
  EXPECT_EQ(block.squared_rhs_norm(), 5.0);
  EXPECT_EQ(block.zero_rows(), 1);
  EXPECT_EQ(block.dominant_row(), 0);
}

TEST(RowBlock, ScalesRowsWhoseSquareWouldOverflowOrVanishByAPowerOfTwo) {
  const double huge = std::ldexp(1.5, 700), tiny = std::ldexp(1.5, -700);

  const RowBlock block({Matrix{{huge, 0.0}, {0.0, tiny}, {1.0, 1.0}}, {2.0 * huge, 3.0 * tiny, 1.0}});

  const auto& matrix = std::get<Matrix>(block.system().rows);
  EXPECT_EQ(block.rescaled_rows(), 2);
  EXPECT_EQ(matrix.row(0)[0], 1.5);
  EXPECT_EQ(matrix.row(1)[1], 1.5);
  EXPECT_EQ(block.system().rhs, (std::vector{3.0, 4.5, 1.0}));
  EXPECT_EQ(matrix.row(2)[0], 1.0);
}

TEST(RowBlock, ScalesRowsOfDenormalNumbers) {
  const double smallest = std::numeric_limits<double>::denorm_min();

  const RowBlock block({SparseMatrix(1, 1, {{0, 0, smallest}}), {smallest}});

  EXPECT_EQ(block.squared_norms()[0], 1.0);
  EXPECT_EQ(block.system().rhs[0], 1.0);
}

TEST(RowBlock, RefusesWhatNoRunCouldUse) {
  EXPECT_EQ(block_refusal({Matrix{{1.0}}, {1.0, 2.0}}), "a block of 1 rows needs as many right-hand sides, not 2");
  EXPECT_EQ(block_refusal({Matrix{{1.0}, {0.0}}, {1.0, 2.0}}),
            "row 2 is zero but its right-hand side is not: no x satisfies it");
  EXPECT_EQ(block_refusal({Matrix{{std::nan("")}}, {1.0}}), "row 1 holds a number that is not finite");
  // b = 1e200 for a row of length one, and b = 1 for a row of length 1e-170, ask for the same.
  const std::string beyond = "row 2 asks for an x beyond the range of numbers: ";
  EXPECT_EQ(block_refusal({Matrix{{1.0}, {1.0}}, {1.0, 1e200}}).find(beyond), 0);
  EXPECT_EQ(block_refusal({Matrix{{1.0}, {1e-170}}, {1.0, 1.0}}).find(beyond), 0);
}

TEST(RowBlock, NamesARowThatHoldsMoreThanHalfOfTheWeight) {
  const RowBlock even({Matrix{{1.0}, {1.0}, {1.0}}, {1.0, 1.0, 1.0}});
  const RowBlock uneven({Matrix{{1.0}, {2.0}, {1.0}}, {1.0, 1.0, 1.0}});

  EXPECT_EQ(even.dominant_row(), std::nullopt);
  EXPECT_EQ(uneven.dominant_row(), 1);
}

// Whether a table can be used at all must not depend on its rows where these are private.
TEST(SilencedRows, LeaveNothingThatCouldBeRefused) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const std::vector<std::vector<double>> rows{{1.0, 2.0},   {0.0, 0.0},    {0.0, 0.0}, {kInf, 1.0},
                                              {1e300, 1.0}, {1e-300, 0.0}, {1.0, 1.0}};
  LinearSystem system{Matrix(rows.size(), 2), {3.0, 0.0, 4.0, 5.0, 6.0, 7.0, 1e200}};
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::ranges::copy(rows[i], std::get<Matrix>(system.rows).row(i).begin());

  EXPECT_EQ(silence_unusable_rows(system), 5);

  EXPECT_EQ(system.rhs, (std::vector<double>{3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0}));
  const RowBlock block(std::move(system));
  EXPECT_EQ(block.zero_rows(), 6);
  EXPECT_EQ(block.squared_norms()[0], 5.0);
}

}  // namespace
}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#include "problem/storage.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "fedrk/error.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

using WrittenOut = std::vector<std::vector<double>>;

std::string refusal(LinearSystem system) {
  try {
    store_as_floats(system);
    RowBlock block(std::move(system));
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(StoreAsFloats, RoundsEveryEntryToTheNearestFloatAndLeavesTheRightHandSide) {
  for (const double density : {1.0, 0.3}) {
    const auto problem = generate({.rows = 20, .cols = 30, .density = density, .seed = 3});
    LinearSystem system = copy_of(problem.system);

    EXPECT_EQ(store_as_floats(system).scaled_rows, 0U);

    EXPECT_EQ(is_sparse(system.rows), density < 1.0);
    EXPECT_EQ(std::holds_alternative<Matrix32>(system.rows), density == 1.0);
    auto expected = test::written_out(problem.system.rows);
    for (auto& row : expected) {
      for (double& value : row) value = static_cast<float>(value);
    }
    EXPECT_EQ(test::written_out(system.rows), expected);
    EXPECT_EQ(system.rhs, problem.system.rhs);
  }
}

TEST(StoreAsFloats, TakesWhatIsStoredSoAlready) {
  LinearSystem dense{Matrix32{{1.5F, 2.0F}}, {1.0}};
  LinearSystem sparse{SparseMatrix32(1, 2, {{0, 1, 2.5}}), {1.0}};

  EXPECT_EQ(store_as_floats(dense).scaled_rows + store_as_floats(sparse).scaled_rows, 0U);

  EXPECT_EQ(test::written_out(dense.rows), (WrittenOut{{1.5, 2.0}}));
  EXPECT_EQ(test::written_out(sparse.rows), (WrittenOut{{0.0, 2.5}}));
}

TEST(StoreAsFloats, RefusesANumberBeyondTheRangeOfFloats) {
  const double largest = std::numeric_limits<float>::max();
  const std::string beyond = "row 2 holds a number beyond the range of float32 (3.4e38): use float64";

  EXPECT_EQ(refusal({Matrix{{1.0, 2.0}, {1.0, -1e39}}, {1.0, 1.0}}), beyond);
  EXPECT_EQ(refusal({SparseMatrix(2, 3, {{1, 2, std::nextafter(largest, 1e300)}}), {0.0, 1.0}}), beyond);
  EXPECT_EQ(refusal({Matrix{{1.0}, {1e300}}, {1.0, 1.0}}), beyond);
  EXPECT_EQ(refusal({Matrix{{largest, -largest}}, {1.0}}), "");
  EXPECT_EQ(refusal({Matrix{{HUGE_VAL}}, {1.0}}), "row 1 holds a number that is not finite");
  EXPECT_EQ(refusal({Matrix{{std::nan("")}}, {1.0}}), "row 1 holds a number that is not finite");
}

// As floats these rows would be zeros, or have a digit or two.
TEST(StoreAsFloats, ScalesRowsOfTinyEntriesByAPowerOfTwo) {
  const double vanishing = std::ldexp(1.0 + std::ldexp(1.0, -20), -200), denormal = std::ldexp(1.25, -140);
  LinearSystem dense{Matrix{{vanishing, -0.5 * vanishing}, {denormal, 0.0}, {1e-25, 1e-40}, {0.0, 0.0}},
                     {3.0 * vanishing, 2.0 * denormal, 1.0, 0.0}};
  LinearSystem sparse{SparseMatrix(2, 2, {{0, 1, vanishing}, {1, 0, 1.0}, {1, 1, 1e-60}}), {vanishing, 1.0}};

  EXPECT_EQ(store_as_floats(dense).scaled_rows, 2U);
  EXPECT_EQ(store_as_floats(sparse).scaled_rows, 1U);

  const double one = 1.0 + std::ldexp(1.0, -20);
  const auto rows = test::written_out(dense.rows);
  EXPECT_EQ(rows[0], (std::vector{one, -0.5 * one}));
  EXPECT_EQ(rows[1], (std::vector{1.25, 0.0}));
  EXPECT_EQ(rows[2][0], static_cast<double>(1e-25F));
  EXPECT_EQ(dense.rhs, (std::vector{3.0 * one, 2.5, 1.0, 0.0}));
  EXPECT_EQ(test::written_out(sparse.rows), (WrittenOut{{0.0, one}, {1.0, 0.0}}));
  EXPECT_EQ(sparse.rhs, (std::vector{one, 1.0}));
  EXPECT_EQ(RowBlock(std::move(dense)).zero_rows(), 1U);
}

TEST(StoreAsFloats, ScalesTinyFloatsTheSameWay) {
  const float denormal = std::ldexp(1.25F, -140);
  LinearSystem system{Matrix32{{denormal, 0.0F}}, {2.0 * denormal}};

  EXPECT_EQ(store_as_floats(system).scaled_rows, 1U);

  EXPECT_EQ(test::written_out(system.rows), (WrittenOut{{1.25, 0.0}}));
  EXPECT_EQ(system.rhs, std::vector{2.5});
}

TEST(StoreAsFloats, LeavesNothingToDoForTheScalingOfARowBlock) {
  const float largest = std::numeric_limits<float>::max(), smallest = std::numeric_limits<float>::denorm_min();

  const RowBlock block({Matrix32{{largest, largest}, {smallest, 0.0F}}, {1.0, 0.0}});

  EXPECT_EQ(block.rescaled_rows(), 0U);
  EXPECT_EQ(block.squared_norms()[0], 2.0 * std::pow(static_cast<double>(largest), 2));
  EXPECT_EQ(block.squared_norms()[1], std::ldexp(1.0, -298));
}

TEST(StoreAsFloats, CountsTheEntriesThatVanish) {
  LinearSystem dense{Matrix{{1.0, 1e-46, 0.0}, {2.0, -3e-46, 1e-40}}, {1.0, 2.0}};
  SparseMatrix rows(2);
  rows.append_row(std::vector<std::uint32_t>{0, 1}, std::vector<double>{1.0, 1e-60});
  LinearSystem sparse{std::move(rows), {1.0}};

  EXPECT_EQ(store_as_floats(dense).vanished_entries, 2U);  // 1e-40 is a float still, a zero was one before
  EXPECT_EQ(store_as_floats(sparse).vanished_entries, 1U);
}

}  // namespace
}  // namespace fedrk

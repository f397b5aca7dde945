// SPDX-License-Identifier: Apache-2.0
#include "linalg/kernels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "fedrk/error.hpp"
#include "linalg/instruction_set.hpp"
#include "support/instruction_sets.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

// Lengths around the sixteen partial sums, where loops tend to go wrong.
class KernelsOfLength : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Nasty, KernelsOfLength,
                         testing::Values(0, 1, 7, 8, 9, 15, 16, 17, 31, 33, 1023, 1024, 1025, 2049, 5000));

TEST_P(KernelsOfLength, AgreeWithLongDoubleSums) {
  const auto a = test::gaussian_vector(GetParam(), 1), x = test::gaussian_vector(GetParam(), 2);
  long double product = 0.0L, square = 0.0L, gap = 0.0L;
  for (std::size_t i = 0; i < a.size(); ++i) {
    product += static_cast<long double>(a[i]) * x[i];
    square += static_cast<long double>(a[i]) * a[i];
    gap += (static_cast<long double>(a[i]) - x[i]) * (static_cast<long double>(a[i]) - x[i]);
  }
  auto moved = x;

  axpy(0.5, a, moved);

  const double rounding = 1e-15 * static_cast<double>(a.size() + 1);  // n terms of size about one
  EXPECT_NEAR(dot(a, x), static_cast<double>(product), rounding);
  EXPECT_NEAR(squared_norm(a), static_cast<double>(square), rounding);
  EXPECT_NEAR(distance(a, x), std::sqrt(static_cast<double>(gap)), rounding);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(moved[i], x[i] + 0.5 * a[i]);
}

TEST_P(KernelsOfLength, GiveTheSameBitsAtEveryAlignment) {
  const auto a = test::gaussian_vector(GetParam(), 3);
  std::vector<double> shifted(a.size() + 1);
  std::copy(a.begin(), a.end(), shifted.begin() + 1);

  EXPECT_EQ(dot(a, a), dot(std::span(shifted).subspan(1), a));
}

std::vector<float> rounded(const std::vector<double>& values) { return {values.begin(), values.end()}; }

template <class Number>
void expect_one_pass_gives_the_bits_of_two(const std::vector<Number>& a, const std::vector<Number>& next) {
  const auto start = test::gaussian_vector(a.size(), 6);
  auto x = start, y = start;
  const std::span<const Number> a_row(a), next_row(next);

  const double product = axpy_dot(0.7, a_row, next_row, a_row, x);

  axpy(0.7, a_row, y);
  EXPECT_EQ(x, y);
  EXPECT_EQ(product, dot(next_row, y));

  axpy_minus(0.2, a_row, start, x);

  axpy(0.2, a_row, y);
  axpy(-1.0, start, y);
  EXPECT_EQ(x, y);
}

TEST_P(KernelsOfLength, StepAndProductInOnePassGiveTheBitsOfTwo) {
  const auto a = test::gaussian_vector(GetParam(), 4), next = test::gaussian_vector(GetParam(), 5);
  expect_one_pass_gives_the_bits_of_two(a, next);
  expect_one_pass_gives_the_bits_of_two(rounded(a), rounded(next));
}

template <class Number>
void expect_four_rows_give_the_bits_of_one_after_another(const std::array<std::vector<Number>, 4>& rows) {
  const auto start = test::gaussian_vector(rows[0].size(), 6);
  const std::array<std::span<const Number>, 4> views{rows[0], rows[1], rows[2], rows[3]};
  const std::array<double, 4> weights{0.5, -2.0, 1.0 / 3.0, 1e-3};
  auto x = start, y = start;

  const auto products = dot4(views, start);
  axpy4(weights, views, x);

  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(products[k], dot(views[k], start));
    axpy(weights[k], views[k], y);
  }
  EXPECT_EQ(x, y);
}

TEST_P(KernelsOfLength, FourRowsGiveTheBitsOfOneAfterAnother) {
  std::array<std::vector<double>, 4> rows;
  std::array<std::vector<float>, 4> rows32;
  for (std::size_t k = 0; k < 4; ++k) {
    rows[k] = test::gaussian_vector(GetParam(), 10 + k);
    rows32[k] = rounded(rows[k]);
  }
  expect_four_rows_give_the_bits_of_one_after_another(rows);
  expect_four_rows_give_the_bits_of_one_after_another(rows32);
}

// A float is a double, so rows of floats must give what the same rows of doubles give.
TEST_P(KernelsOfLength, RowsOfFloatsGiveTheBitsOfTheSameDoubles) {
  const auto a32 = rounded(test::gaussian_vector(GetParam(), 7));
  const std::vector<double> a(a32.begin(), a32.end()), x = test::gaussian_vector(GetParam(), 8);
  auto moved = x, moved32 = x;

  axpy(0.3, a, moved);
  axpy(0.3, std::span<const float>(a32), moved32);

  EXPECT_EQ(dot(std::span<const float>(a32), x), dot(a, x));
  EXPECT_EQ(squared_norm(std::span<const float>(a32)), squared_norm(a));
  EXPECT_EQ(moved32, moved);
}

// What the kernels on vectors produce at one length (Gram matrices, steps and draws have tests of their own), on this
// machine's instruction set of the moment.
std::vector<double> everything_computed(std::size_t n) {
  const auto a = test::gaussian_vector(n, 1), b = test::gaussian_vector(n, 2);
  const auto a32 = rounded(a), b32 = rounded(b);
  std::vector<std::uint32_t> columns(n);
  for (std::size_t i = 0; i < n; ++i) columns[i] = static_cast<std::uint32_t>(i);
  std::vector<double> x = test::gaussian_vector(n, 3);
  std::vector<double> numbers{dot(a, x),
                              squared_norm(a),
                              distance(a, b),
                              dot(SparseRow{columns, a}, x),
                              dot(SparseRow32{columns, a32}, x),
                              squared_norm(std::span<const float>(a32))};
  numbers.push_back(axpy_dot(0.7, std::span<const double>(a), b, a, x));
  numbers.push_back(axpy_dot(0.6, std::span<const float>(a32), b32, a32, x));
  const auto products = dot4(std::array<std::span<const double>, 4>{a, b, a, b}, x);
  numbers.insert(numbers.end(), products.begin(), products.end());
  const auto products32 = dot4(std::array<std::span<const float>, 4>{a32, b32, a32, b32}, x);
  numbers.insert(numbers.end(), products32.begin(), products32.end());
  axpy4({0.1, 0.2, 0.3, 0.4}, std::array<std::span<const float>, 4>{a32, b32, a32, b32}, x);
  axpy4({0.5, 0.6, 0.7, 0.8}, std::array<std::span<const double>, 4>{a, b, a, b}, x);
  axpy_minus(0.7, a, b, x);
  axpy(0.9, a, x);
  axpy_minus(0.8, std::span<const float>(a32), b, x);
  numbers.insert(numbers.end(), x.begin(), x.end());
  return numbers;
}

TEST_P(KernelsOfLength, GiveTheSameBitsWithEveryInstructionSet) {
  test::expect_same_with_every_instruction_set([] { return everything_computed(GetParam()); });
}

TEST(InstructionSets, ThatAreNotThereAreRefused) {
  const auto sets = available_instruction_sets();
  if (std::ranges::find(sets, InstructionSet::Avx512) == sets.end()) {
    EXPECT_THROW(use_instruction_set(InstructionSet::Avx512), InvalidArgument);
  }
  EXPECT_THROW(use_instruction_set(static_cast<InstructionSet>(77)), InvalidArgument);
}

TEST(InstructionSets, StartWithTheWidestOneOfTheMachine) {
  EXPECT_EQ(instruction_set(), available_instruction_sets().back());
  EXPECT_EQ(available_instruction_sets().front(), InstructionSet::Baseline);
}

TEST(Kernels, WorkOnTheNonZerosOfASparseRow) {
  const std::vector<std::uint32_t> columns{1, 3};
  const std::vector<double> values{2.0, -1.0};
  const SparseRow row{columns, values};
  std::vector<double> x{10.0, 20.0, 30.0, 40.0};

  EXPECT_EQ(dot(row, x), 0.0);
  EXPECT_EQ(squared_norm(row), 5.0);
  axpy(2.0, row, x);
  EXPECT_EQ(x, (std::vector<double>{10.0, 24.0, 30.0, 38.0}));
}

TEST(Kernels, RecogniseWhatIsNotFinite) {
  EXPECT_TRUE(all_finite(std::vector{1.0, -1e308, 0.0}));
  EXPECT_FALSE(all_finite(std::vector{1.0, std::numeric_limits<double>::infinity()}));
  EXPECT_FALSE(all_finite(std::vector{std::nan("")}));
}

}  // namespace
}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#include "problem/frame_products.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "fedrk/error.hpp"
#include "linalg/instruction_set.hpp"
#include "problem/storage.hpp"
#include "support/instruction_sets.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

struct TableSize {
  std::size_t rows, cols;
};

// Around the sixteen rows at once, the stretches of 512, the packs of columns, and rows too long to keep sixteen of.
class FrameProductsOfSize : public testing::TestWithParam<TableSize> {};
INSTANTIATE_TEST_SUITE_P(Nasty, FrameProductsOfSize,
                         testing::Values(TableSize{0, 3}, TableSize{1, 1}, TableSize{1, 9}, TableSize{7, 1},
                                         TableSize{15, 17}, TableSize{16, 16}, TableSize{17, 7}, TableSize{48, 33},
                                         TableSize{511, 5}, TableSize{513, 8}, TableSize{1100, 31},
                                         TableSize{3, 9001}));

LinearSystem gaussian_system(TableSize size, double offset = 0.0) {
  LinearSystem system{Matrix(size.rows, size.cols), test::gaussian_vector(size.rows, 99)};
  for (std::size_t i = 0; i < size.rows; ++i) {
    const auto row = test::gaussian_vector(size.cols, 1 + i);
    for (std::size_t j = 0; j < size.cols; ++j) std::get<Matrix>(system.rows).row(i)[j] = offset + row[j];
  }
  return system;
}

Frame same_frame(std::size_t cols, double centre, double inverse_scale) {
  return {std::vector<double>(cols, centre), std::vector<double>(cols, inverse_scale)};
}

std::vector<double> as_vector(const AlignedVector& values) { return {values.begin(), values.end()}; }

// What they should be, in long doubles, and how large the terms are.
struct Expected {
  std::vector<long double> product, product_size, gradient, gradient_size;
  long double squared_residual = 0.0L;
};

Expected in_long_doubles(const LinearSystem& system, const Frame& frame, std::span<const double> x) {
  const std::size_t n = x.size();
  Expected expected{std::vector<long double>(n), std::vector<long double>(n), std::vector<long double>(n),
                    std::vector<long double>(n), 0.0L};
  const auto rows = test::written_out(system.rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<long double> f(n);
    long double u = 0.0L, u_size = 0.0L;
    for (std::size_t j = 0; j < n; ++j) {
      f[j] = (static_cast<long double>(rows[i][j]) - frame.centre[j]) * frame.inverse_scale[j];
      u += f[j] * x[j];
      u_size += std::abs(f[j] * x[j]);
    }
    const long double r = system.rhs[i] - u;
    expected.squared_residual += r * r;
    for (std::size_t j = 0; j < n; ++j) {
      expected.product[j] += f[j] * u;
      expected.product_size[j] += std::abs(f[j]) * u_size;
      expected.gradient[j] += f[j] * r;
      expected.gradient_size[j] += std::abs(f[j]) * (u_size + std::abs(system.rhs[i]));
    }
  }
  return expected;
}

void expect_products(const LinearSystem& system, const Frame* frame, double relative) {
  const std::size_t n = column_count(system.rows);
  const auto x = test::gaussian_vector(n, 5);
  const Expected expected = in_long_doubles(system, frame == nullptr ? same_frame(n, 0.0, 1.0) : *frame, x);

  double squared_residual = -1.0;
  const auto product = normal_product(system, frame, x), slope = gradient(system, frame, x, &squared_residual);

  ASSERT_EQ(product.size(), n);
  ASSERT_EQ(slope.size(), n);
  const auto tolerance = static_cast<long double>(relative);
  for (std::size_t j = 0; j < n; ++j) {
    EXPECT_LE(std::abs(product[j] - expected.product[j]), tolerance * expected.product_size[j]) << j;
    EXPECT_LE(std::abs(slope[j] - expected.gradient[j]), tolerance * expected.gradient_size[j]) << j;
  }
  EXPECT_NEAR(squared_residual, static_cast<double>(expected.squared_residual),
              1e3 * relative * static_cast<double>(expected.squared_residual));
  EXPECT_EQ(as_vector(gradient(system, frame, x, nullptr)), as_vector(slope));
}

TEST_P(FrameProductsOfSize, AgreeWithLongDoubleSums) {
  const LinearSystem system = gaussian_system(GetParam());
  const Frame near = same_frame(GetParam().cols, 0.3, 0.5), far = same_frame(GetParam().cols, 40.0, 0.5);
  expect_products(system, nullptr, 1e-15);
  expect_products(system, &near, 1e-15);
  expect_products(system, &far, 1e-15);
}

TEST_P(FrameProductsOfSize, OfColumnsFarFromZeroKeepTheirDigits) {
  const Frame frame = same_frame(GetParam().cols, 1e8, 1.0);
  expect_products(gaussian_system(GetParam(), 1e8), &frame, 1e-15);
}

TEST_P(FrameProductsOfSize, OfFloatsAreThoseOfTheSameDoubles) {
  LinearSystem floats = gaussian_system(GetParam());
  store_as_floats(floats);
  LinearSystem doubles = gaussian_system(GetParam());
  const auto rows = test::written_out(floats.rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::ranges::copy(rows[i], std::get<Matrix>(doubles.rows).row(i).begin());
  }
  const auto x = test::gaussian_vector(GetParam().cols, 5);
  const Frame near = same_frame(GetParam().cols, 0.3, 0.5), far = same_frame(GetParam().cols, 40.0, 0.5);
  for (const Frame* frame : std::initializer_list<const Frame*>{nullptr, &near, &far}) {
    EXPECT_EQ(as_vector(normal_product(floats, frame, x)), as_vector(normal_product(doubles, frame, x)));
    EXPECT_EQ(as_vector(gradient(floats, frame, x, nullptr)), as_vector(gradient(doubles, frame, x, nullptr)));
  }
}

std::vector<double> all_products(TableSize size) {
  const LinearSystem system = gaussian_system(size);
  LinearSystem floats = gaussian_system(size);
  store_as_floats(floats);
  const auto sparse = generate({.rows = size.rows + 1, .cols = size.cols, .density = 0.3, .seed = 3});
  const Frame near = same_frame(size.cols, 0.3, 0.5), far = same_frame(size.cols, 40.0, 0.5);
  const auto x = test::gaussian_vector(size.cols, 5);
  std::vector<double> numbers;
  for (const LinearSystem* each : std::initializer_list<const LinearSystem*>{&system, &floats, &sparse.system}) {
    for (const Frame* frame : std::initializer_list<const Frame*>{nullptr, &near, &far}) {
      double squared_residual = 0.0;
      for (const double value : normal_product(*each, frame, x)) numbers.push_back(value);
      for (const double value : gradient(*each, frame, x, &squared_residual)) numbers.push_back(value);
      numbers.push_back(squared_residual);
    }
  }
  return numbers;
}

TEST_P(FrameProductsOfSize, HaveTheSameBitsWithEveryInstructionSet) {
  test::expect_same_with_every_instruction_set([] { return all_products(GetParam()); });
}

TEST(FrameProducts, CanBeCheckedByHand) {
  const LinearSystem system{Matrix{{1.0, 2.0}, {3.0, 4.0}}, {5.0, 6.0}};
  const Frame frame{{1.0, 3.0}, {0.5, 2.0}};  // rows become {0, -2} and {1, 2}
  const std::vector<double> x{1.0, 0.5};      // products -1 and 2, residuals 6 and 4
  double squared_residual = 0.0;

  EXPECT_EQ(as_vector(normal_product(system, &frame, x)), (std::vector<double>{2.0, 6.0}));
  EXPECT_EQ(as_vector(gradient(system, &frame, x, &squared_residual)), (std::vector<double>{4.0, -4.0}));
  EXPECT_EQ(squared_residual, 52.0);
  EXPECT_EQ(as_vector(normal_product(system, nullptr, x)), (std::vector<double>{17.0, 24.0}));  // products 2 and 5
}

TEST(FrameProducts, OfSparseRowsReadStoredEntriesOnly) {
  const auto problem = generate({.rows = 700, .cols = 40, .density = 0.1, .seed = 4});
  const Frame frame = same_frame(40, 0.37, 0.25), larger = same_frame(40, 3.0, 2.0);
  expect_products(problem.system, nullptr, 1e-15);
  expect_products(problem.system, &frame, 1e-15);
  expect_products(problem.system, &larger, 1e-15);  // no larger than the entries it is taken from
}

TEST(FrameProducts, RefuseWhatDoesNotFit) {
  const LinearSystem system = gaussian_system({3, 4});
  const Frame narrow = same_frame(3, 0.0, 1.0);
  const std::vector<double> x(4, 1.0), short_x(3, 1.0);

  EXPECT_THROW(normal_product(system, &narrow, x), InvalidArgument);
  EXPECT_THROW(normal_product(system, nullptr, short_x), InvalidArgument);
  EXPECT_THROW(gradient(system, nullptr, short_x, nullptr), InvalidArgument);
}

}  // namespace
}  // namespace fedrk

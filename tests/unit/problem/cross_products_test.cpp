// SPDX-License-Identifier: Apache-2.0
#include "problem/cross_products.hpp"

#include <cmath>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "fedrk/error.hpp"
#include "linalg/double_double.hpp"
#include "linalg/instruction_set.hpp"
#include "problem/storage.hpp"
#include "support/instruction_sets.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

__extension__ typedef __int128 Int128;

using Table = std::vector<std::vector<double>>;

LinearSystem system_of(const Table& rows, std::vector<double> rhs) {
  Matrix matrix(rows.size(), rows.empty() ? 0 : rows[0].size());
  for (std::size_t i = 0; i < rows.size(); ++i) std::ranges::copy(rows[i], matrix.row(i).begin());
  return {std::move(matrix), std::move(rhs)};
}

LinearSystem gaussian_system(std::size_t rows, std::size_t cols) {
  LinearSystem system{Matrix(rows, cols), test::gaussian_vector(rows, 99)};
  for (std::size_t i = 0; i < rows; ++i) {
    std::ranges::copy(test::gaussian_vector(cols, 1 + i), std::get<Matrix>(system.rows).row(i).begin());
  }
  return system;
}

LinearSystem sparse_system(const LinearSystem& dense) {
  const auto rows = test::written_out(dense.rows);
  SparseMatrix matrix(column_count(dense.rows));
  for (const auto& row : rows) {
    std::vector<std::uint32_t> columns;
    std::vector<double> values;
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (row[j] == 0.0) continue;
      columns.push_back(static_cast<std::uint32_t>(j));
      values.push_back(row[j]);
    }
    matrix.append_row(columns, values);
  }
  return {std::move(matrix), dense.rhs};
}

Frame frame_of(std::size_t cols, double centre, double inverse_scale) {
  return {std::vector<double>(cols, centre), std::vector<double>(cols, inverse_scale)};
}

std::vector<double> plain(AlignedVector values) { return {values.begin(), values.end()}; }

// Entry (i, j) of a packed triangle of n + 1 columns.
std::size_t place(std::size_t i, std::size_t j, std::size_t cols) { return i * (cols + 1) - i * (i + 1) / 2 + j; }

DoubleDouble pair_at(const AlignedVector& pairs, std::size_t i, std::size_t j, std::size_t cols) {
  const std::size_t at = place(i, j, cols);
  return {pairs[at], pairs[at + pairs.size() / 2]};
}

struct Size {
  std::size_t rows, cols;
};

// Around panels of eight columns and blocks of 128 rows; one row, one column, none.
class CrossProductsOfSize : public testing::TestWithParam<Size> {};
INSTANTIATE_TEST_SUITE_P(Nasty, CrossProductsOfSize,
                         testing::Values(Size{0, 3}, Size{4, 0}, Size{1, 1}, Size{1, 9}, Size{5, 1}, Size{3, 7},
                                         Size{8, 8}, Size{127, 15}, Size{128, 16}, Size{129, 23}, Size{255, 5},
                                         Size{256, 7}, Size{257, 8}, Size{300, 31}, Size{513, 25}));

TEST_P(CrossProductsOfSize, AgreeWithLongDoubleSums) {
  const auto [rows, cols] = GetParam();
  const LinearSystem system = gaussian_system(rows, cols);
  Frame frame;
  for (std::size_t j = 0; j < cols; ++j) {
    frame.centre.push_back(0.3 * static_cast<double>(j));
    frame.inverse_scale.push_back(std::ldexp(1.0, static_cast<int>(j % 5) - 2));
  }
  auto table = test::written_out(system.rows);
  for (std::size_t k = 0; k < rows; ++k) {
    for (std::size_t j = 0; j < cols; ++j) table[k][j] = (table[k][j] - frame.centre[j]) * frame.inverse_scale[j];
    table[k].push_back(system.rhs[k]);
  }

  const auto products = cross_products(system, &frame), pairs = cross_product_pairs(system, &frame);

  ASSERT_EQ(products.size(), cross_product_count(cols));
  ASSERT_EQ(pairs.size(), 2 * cross_product_count(cols));
  for (std::size_t i = 0; i <= cols; ++i) {
    for (std::size_t j = i; j <= cols; ++j) {
      long double sum = 0.0L, sizes = 0.0L;
      for (std::size_t k = 0; k < rows; ++k) {
        sum += static_cast<long double>(table[k][i]) * table[k][j];
        sizes += std::abs(static_cast<long double>(table[k][i]) * table[k][j]);
      }
      const auto expected = static_cast<double>(sum), size = static_cast<double>(sizes);
      EXPECT_NEAR(products[place(i, j, cols)], expected, 1e-14 * size) << i << ", " << j;
      EXPECT_NEAR(pairs[place(i, j, cols)], expected, 1e-15 * size)
          << i << ", " << j;  // differences were rounded above
    }
  }
}

TEST(CrossProducts, AreTheUpperTriangleWithTheRightHandSideLast) {
  const LinearSystem system = system_of({{1.0, 2.0}, {3.0, 4.0}}, {5.0, 6.0});
  const std::vector<double> expected{10.0, 14.0, 23.0, 20.0, 34.0, 61.0};

  EXPECT_EQ(plain(cross_products(system, nullptr)), expected);
  auto pairs = expected;
  pairs.resize(12, 0.0);
  EXPECT_EQ(plain(cross_product_pairs(system, nullptr)), pairs);
}

TEST(CrossProducts, TakeColumnsAsTheFrameSays) {
  const LinearSystem system = system_of({{1.0, 2.0}, {3.0, 4.0}}, {5.0, 6.0});
  const Frame frame{{1.0, 3.0}, {0.5, 2.0}};  // rows become {0, -2} and {1, 2}
  const std::vector<double> expected{1.0, 2.0, 6.0, 8.0, 2.0, 61.0};

  EXPECT_EQ(plain(cross_products(system, &frame)), expected);
  EXPECT_EQ(plain(cross_products(sparse_system(system), &frame)), expected);
}

// Whatever there is, with one instruction set: tiny and large entries too, whose rests are close to leaving the range.
std::vector<double> everything_computed(std::size_t rows, std::size_t cols) {
  LinearSystem system = gaussian_system(rows, cols), floats = gaussian_system(rows, cols);
  store_as_floats(floats);
  auto& matrix = std::get<Matrix>(system.rows);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < cols; ++j) {
      if ((i + j) % 7 == 3) matrix.row(i)[j] = std::ldexp(matrix.row(i)[j], static_cast<int>((i * 37) % 900) - 450);
    }
  }
  Frame frame = frame_of(cols, 0.123, 0.25);
  for (std::size_t j = 1; j < cols; ++j) frame.powers.push_back({j, j - 1, static_cast<unsigned>(1 + j % 12)});
  std::vector<double> numbers;
  const auto add = [&](const AlignedVector& values) { numbers.insert(numbers.end(), values.begin(), values.end()); };
  for (const LinearSystem* each : {&system, &floats}) {
    for (const Frame* used : std::initializer_list<const Frame*>{nullptr, &frame}) {
      add(cross_products(*each, used));
      if (each == &floats || used == nullptr) add(cross_product_pairs(*each, used));  // powers of 2^450 are too large
    }
  }
  if (rows > 0) {
    const auto thin = generate({.rows = rows, .cols = 4 * cols + 1, .density = 0.05, .seed = 3});
    const Frame thin_frame = frame_of(4 * cols + 1, 0.1, 2.0);
    add(cross_product_pairs(thin.system, nullptr));
    add(cross_product_pairs(thin.system, &thin_frame));
  }
  return numbers;
}

TEST_P(CrossProductsOfSize, HaveTheSameBitsWithEveryInstructionSet) {
  test::expect_same_with_every_instruction_set([] { return everything_computed(GetParam().rows, GetParam().cols); });
}

TEST(CrossProducts, OfFloatsAreThoseOfTheSameDoubles) {
  LinearSystem floats = gaussian_system(300, 11);
  store_as_floats(floats);
  const LinearSystem doubles = system_of(test::written_out(floats.rows), floats.rhs);
  const Frame frame = frame_of(11, 0.7, 0.5);

  EXPECT_EQ(plain(cross_products(floats, &frame)), plain(cross_products(doubles, &frame)));
  EXPECT_EQ(plain(cross_product_pairs(floats, &frame)), plain(cross_product_pairs(doubles, &frame)));
}

TEST(CrossProducts, OfSparseRowsAreThoseOfTheSameDenseRows) {
  for (const double density : {0.02, 0.5}) {
    const auto problem = generate({.rows = 400, .cols = 30, .density = density, .seed = 4});
    const LinearSystem dense = system_of(test::written_out(problem.system.rows), problem.system.rhs);
    const Frame frame = frame_of(30, 0.37, 0.25);
    for (const Frame* used : std::initializer_list<const Frame*>{nullptr, &frame}) {
      const auto of_sparse = cross_product_pairs(problem.system, used), of_dense = cross_product_pairs(dense, used);
      const auto plain_of_sparse = cross_products(problem.system, used);
      for (std::size_t i = 0; i <= 30; ++i) {
        for (std::size_t j = i; j <= 30; ++j) {
          const double size = std::sqrt(of_dense[place(i, i, 30)] *
                                        of_dense[place(j, j, 30)]);  // at least the sum of |z_i z_j| / sqrt(m)
          const DoubleDouble gap = pair_at(of_sparse, i, j, 30) - pair_at(of_dense, i, j, 30);
          EXPECT_LE(std::abs(gap.high), 0x1.0p-94 * size) << density;
          EXPECT_NEAR(plain_of_sparse[place(i, j, 30)], of_dense[place(i, j, 30)], 1e-13 * size) << density;
        }
      }
    }
  }
}

// Random integers below 2^bits, with a sign.
std::vector<std::int64_t> integers(std::size_t count, unsigned bits, std::uint64_t seed) {
  RngStream stream = stream_for(seed, Purpose::GeneratedSolution, RoundIndex{78});
  std::vector<std::int64_t> values(count);
  for (auto& value : values) {
    value = static_cast<std::int64_t>(stream.below(std::uint64_t{1} << bits));
    if (stream.below(2) == 1) value = -value;
  }
  return values;
}

// Checks every pair against sums of integer entries, which are exact: C_ij = unit sum_k z(k, i) z(k, j).
void expect_exact(const AlignedVector& pairs, std::size_t rows, std::size_t cols, double unit,
                  const std::function<Int128(std::size_t, std::size_t)>& z) {
  for (std::size_t i = 0; i <= cols; ++i) {
    for (std::size_t j = i; j <= cols; ++j) {
      Int128 sum = 0;
      long double size = 0.0L;
      for (std::size_t k = 0; k < rows; ++k) {
        sum += z(k, i) * z(k, j);
        size += std::abs(static_cast<long double>(z(k, i)) * static_cast<long double>(z(k, j)));
      }
      const DoubleDouble pair = pair_at(pairs, i, j, cols);
      const Int128 gap = static_cast<Int128>(pair.high / unit) + static_cast<Int128>(pair.low / unit) - sum;
      EXPECT_LE(std::abs(static_cast<long double>(gap)), 0x1.0p-100L * size + 1.0L) << i << ", " << j;
    }
  }
}

TEST(CrossProductPairs, HoldProductsOfFullDoublesToTwiceTheirPrecision) {
  constexpr std::size_t kRows = 1000, kCols = 5;
  const auto numbers = integers(kRows * (kCols + 1), 53, 1);
  LinearSystem system{Matrix(kRows, kCols), std::vector<double>(kRows)};
  const auto z = [&](std::size_t k, std::size_t j) -> Int128 { return numbers[k * (kCols + 1) + j]; };
  for (std::size_t k = 0; k < kRows; ++k) {
    for (std::size_t j = 0; j < kCols; ++j) std::get<Matrix>(system.rows).row(k)[j] = static_cast<double>(z(k, j));
    system.rhs[k] = static_cast<double>(z(k, kCols));
  }

  expect_exact(cross_product_pairs(system, nullptr), kRows, kCols, 1.0, z);
  expect_exact(cross_product_pairs(sparse_system(system), nullptr), kRows, kCols, 1.0, z);
}

// Entries in units of 2^-40, centres in units of 2^-10: the differences have 60 bits. Dense, and sparse with one entry
// in nine, where centres come off at the end.
TEST(CrossProductPairs, KeepDifferencesFromTheCentresExactly) {
  constexpr std::size_t kRows = 60, kCols = 9;
  for (const bool thin : {false, true}) {
    const auto numbers = integers(kRows * kCols, 30, 2), centres = integers(kCols, 30, 3);
    const auto entry = [&](std::size_t k, std::size_t j) {
      return thin && (k + j) % 9 != 0 ? 0 : numbers[k * kCols + j];
    };
    const auto z = [&](std::size_t k, std::size_t j) -> Int128 {
      return j == kCols ? Int128{1} << 40 : Int128{entry(k, j)} - (Int128{centres[j]} << 30);
    };
    LinearSystem system{Matrix(kRows, kCols), std::vector<double>(kRows, 1.0)};
    Frame frame = frame_of(kCols, 0.0, 1.0);
    for (std::size_t j = 0; j < kCols; ++j) {
      frame.centre[j] = std::ldexp(static_cast<double>(centres[j]), -10);
      for (std::size_t k = 0; k < kRows; ++k) {
        std::get<Matrix>(system.rows).row(k)[j] = std::ldexp(static_cast<double>(entry(k, j)), -40);
      }
    }

    expect_exact(cross_product_pairs(thin ? sparse_system(system) : std::move(system), &frame), kRows, kCols, 0x1.0p-80,
                 z);
  }
}

// Columns x, x^2, ... x^6 of integers up to a thousand, centred: x^6 has up to 60 bits, and its column has lost seven.
TEST(CrossProductPairs, ComputePowersFromTheirSource) {
  constexpr std::size_t kRows = 140, kCols = 6;
  const auto numbers = integers(kRows, 9, 5);
  Table rows(kRows);
  Frame frame = frame_of(kCols, 0.0, 1.0);
  const auto power_of = [&](std::size_t k, std::size_t j) {
    Int128 product = 1;
    for (std::size_t factor = 0; factor <= j; ++factor) product *= 500 + numbers[k];
    return product;
  };
  for (std::size_t k = 0; k < kRows; ++k) {
    for (std::size_t j = 0; j < kCols; ++j) rows[k].push_back(static_cast<double>(power_of(k, j)));
  }
  for (std::size_t j = 0; j < kCols; ++j) {
    frame.centre[j] = static_cast<double>(power_of(7, j));
    if (j > 0) frame.powers.push_back({j, 0, static_cast<unsigned>(j + 1)});
  }
  const LinearSystem system = system_of(rows, std::vector<double>(kRows, 1.0));
  const auto z = [&](std::size_t k, std::size_t j) -> Int128 {
    return j == kCols ? 1 : power_of(k, j) - static_cast<Int128>(frame.centre[j]);
  };

  expect_exact(cross_product_pairs(system, &frame), kRows, kCols, 1.0, z);

  const Frame without{frame.centre, frame.inverse_scale};
  const DoubleDouble exact = pair_at(cross_product_pairs(system, &frame), 5, 5, kCols),
                     rounded = pair_at(cross_product_pairs(system, &without), 5, 5, kCols);
  EXPECT_GT(std::abs(to_double(exact - rounded)), 1e-18 * exact.high);
}

TEST(CrossProductPairs, ComputePowersOfSparseEntries) {
  SparseMatrix matrix(20);
  LinearSystem dense{Matrix(50, 20), std::vector<double>(50, 1.0)};
  for (std::size_t k = 0; k < 50; ++k) {
    if (k % 3 == 0) {
      matrix.append_row({}, {});
      continue;
    }
    const double x = 1.0 + 0.1 * static_cast<double>(k);
    matrix.append_row(std::vector<std::uint32_t>{4, 11}, std::vector<double>{x, std::pow(x, 9)});
    std::get<Matrix>(dense.rows).row(k)[4] = x;
    std::get<Matrix>(dense.rows).row(k)[11] = std::pow(x, 9);
  }
  const LinearSystem sparse{std::move(matrix), dense.rhs};
  Frame frame = frame_of(20, 0.5, 0.5);
  frame.powers = {{11, 4, 9}};

  const auto of_sparse = cross_product_pairs(sparse, &frame), of_dense = cross_product_pairs(dense, &frame);

  for (const auto& [i, j] : {std::pair{4U, 4U}, {4U, 11U}, {11U, 11U}, {11U, 20U}, {20U, 20U}}) {
    const DoubleDouble expected = pair_at(of_dense, i, j, 20);
    EXPECT_LE(std::abs(to_double(pair_at(of_sparse, i, j, 20) - expected)), 0x1.0p-96 * std::abs(expected.high));
  }
}

// Columns of ones and of 1 + k 2^-40: m sum c^2 - (sum c)^2 = 2^-80 (m sum k^2 - (sum k)^2), which doubles cannot tell
// from zero.
TEST(CrossProductPairs, TellColumnsApartThatDoublesCannot) {
  Table rows;
  for (int k = 0; k < 10; ++k) rows.push_back({1.0, 1.0 + std::ldexp(k, -40)});
  const LinearSystem system = system_of(rows, std::vector<double>(10, 0.0));
  const double expected = std::ldexp(10.0 * 285.0 - 45.0 * 45.0, -80);

  const auto pairs = cross_product_pairs(system, nullptr);
  const auto products = cross_products(system, nullptr);

  const auto determinant = [](const auto& a, const auto& b, const auto& d) { return a * d - b * b; };
  const DoubleDouble exact = determinant(pair_at(pairs, 0, 0, 2), pair_at(pairs, 0, 1, 2), pair_at(pairs, 1, 1, 2));
  EXPECT_NEAR(to_double(exact), expected, 1e-4 * expected);
  const double lost = determinant(products[0], products[1], products[3]);
  EXPECT_GT(std::abs(lost - expected), 0.9 * expected);
}

// Columns of about 1e8 with a spread of one: alone, and among so many empty ones that sparse rows are not written out.
TEST(CrossProducts, OfColumnsFarFromZeroKeepTheirDigits) {
  constexpr std::size_t kRows = 500;
  for (const std::size_t cols : {2U, 20U}) {
    const auto first = integers(kRows, 20, 7), second = integers(kRows, 20, 8);
    LinearSystem dense{Matrix(kRows, cols), std::vector<double>(kRows, 1.0)};
    Frame frame = frame_of(cols, 0.0, 0.5);
    frame.centre[0] = frame.centre[1] = 1e8;
    double expected = 0.0, size = 0.0;
    for (std::size_t k = 0; k < kRows; ++k) {
      const double a = std::ldexp(static_cast<double>(first[k]), -20);
      const double b = std::ldexp(static_cast<double>(second[k]), -20);
      std::get<Matrix>(dense.rows).row(k)[0] = 1e8 + a;
      std::get<Matrix>(dense.rows).row(k)[1] = 1e8 + b;
      expected += 0.25 * a * b;
      size += 0.25 * std::abs(a * b);
    }
    const LinearSystem sparse = sparse_system(dense);

    for (const LinearSystem* system : std::initializer_list<const LinearSystem*>{&dense, &sparse}) {
      EXPECT_NEAR(cross_products(*system, &frame)[1], expected, 1e-14 * size);
      EXPECT_NEAR(cross_product_pairs(*system, &frame)[1], expected, 1e-14 * size);
    }
  }
}

TEST(CrossProducts, RefuseAFrameOfAnotherSize) {
  const LinearSystem system = gaussian_system(3, 4);
  const Frame narrow = frame_of(3, 0.0, 1.0);
  Frame power = frame_of(4, 0.0, 1.0);
  power.powers = {{2, 4, 2}};

  EXPECT_THROW(cross_products(system, &narrow), InvalidArgument);
  EXPECT_THROW(cross_product_pairs(system, &power), InvalidArgument);
}

}  // namespace
}  // namespace fedrk

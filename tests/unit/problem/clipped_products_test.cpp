// SPDX-License-Identifier: Apache-2.0
#include "problem/clipped_products.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "linalg/kernels.hpp"
#include "methods/gaussian_privacy.hpp"
#include "problem/cross_products.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

struct NamelessRows {
  std::vector<std::vector<double>> a;
  std::vector<double> b;
};

LinearSystem system_with(const NamelessRows& table) {
  Matrix matrix(table.a.size(), table.a.front().size());
  for (std::size_t i = 0; i < table.a.size(); ++i) std::ranges::copy(table.a[i], matrix.values(i).begin());
  return {std::move(matrix), {table.b.begin(), table.b.end()}};
}

const double kRoot2 = std::sqrt(2.0);
constexpr std::int32_t kFineGrid = -40;

TEST(ClippedProducts, AreThoseOfTheRowsWhereTheseAreShort) {
  // (1, 2 | 3) and (0, 1 | -1), b counting twice: z = (1, 2, 6) and (0, 1, -2).
  const LinearSystem system = system_with({{{1.0, 2.0}, {0.0, 1.0}}, {3.0, -1.0}});

  const auto sum = clipped_products({.bound = 7.0, .rhs_weight = 2.0, .exponent = kFineGrid}, system);

  const std::vector<double> expected{1.0, 2.0 * kRoot2, 6.0 * kRoot2, 5.0, 10.0 * kRoot2, 40.0};
  ASSERT_EQ(sum.size(), expected.size());
  for (std::size_t k = 0; k < sum.size(); ++k) EXPECT_NEAR(sum[k], expected[k], 0x1.0p-39) << k;
}

TEST(ClippedProducts, ShortenLongRowsToTheBound) {
  // (3, 0 | 4) of length 5 becomes (1.5, 0, 2).
  const auto sum = clipped_products({.bound = 2.5, .exponent = kFineGrid}, system_with({{{3.0, 0.0}}, {4.0}}));
  const std::vector<double> expected{2.25, 0.0, 3.0 * kRoot2, 0.0, 0.0, 4.0};
  for (std::size_t k = 0; k < sum.size(); ++k) EXPECT_NEAR(sum[k], expected[k], 0x1.0p-40) << k;
}

TEST(ClippedProducts, TakeRowsOfAnySizeAndLeaveOutThoseThatAreNoNumbers) {
  const NamelessRows table{{{1e300, 0.0}, {1e-300, 0.0}, {INFINITY, 1.0}, {0.0, 0.0}, {0.0, 1.0}},
                           {0.0, 0.0, 0.0, 0.0, NAN}};
  const auto sum = clipped_products({.bound = 1.0, .exponent = kFineGrid}, system_with(table));
  EXPECT_EQ(sum, (AlignedVector{1.0, 0.0, 0.0, 0.0, 0.0, 0.0}));
}

TEST(ClippedProducts, ReadSparseRowsAsDenseOnes) {
  LinearSystem sparse = generate({.rows = 60, .cols = 7, .noise = 0.5, .density = 0.4, .seed = 3}).system;
  const NamelessRows table{test::written_out(sparse.rows), {sparse.rhs.begin(), sparse.rhs.end()}};
  const NoisyProducts work{.bound = 2.0, .rhs_weight = 0.5, .exponent = kFineGrid};
  EXPECT_EQ(clipped_products(work, sparse), clipped_products(work, system_with(table)));
}

// ---- Sensitivity.

class RowShapes {
 public:
  explicit RowShapes(std::uint64_t seed) : stream_(seed, Purpose::GeneratedMatrix) {}

  std::size_t whole(std::size_t from, std::size_t to) {
    return from + static_cast<std::size_t>(stream_.below(to - from + 1));
  }
  double size() { return std::pow(10.0, 12.0 * stream_.uniform() - 6.0); }
  /// Any row: ordinary, huge, tiny, along an axis, zero, or no number.
  void row(std::vector<double>& a, double& b) {
    const auto kind = stream_.below(8);
    const double scale = kind == 0 ? 1e160 : kind == 1 ? 1e-160 : kind == 2 ? 1.0 : size();
    for (double& value : a) value = kind == 5 ? 0.0 : scale * stream_.gaussian();
    if (kind == 4) std::fill(a.begin() + 1, a.end(), 0.0);
    if (kind == 6) a[whole(0, a.size() - 1)] = INFINITY;
    b = kind == 4 || kind == 5 ? 0.0 : kind == 7 ? NAN : scale * size() * stream_.gaussian();
  }
  NamelessRows table(std::size_t m, std::size_t n) {
    NamelessRows made{std::vector<std::vector<double>>(m, std::vector<double>(n)), std::vector<double>(m)};
    for (std::size_t i = 0; i < m; ++i) row(made.a[i], made.b[i]);
    return made;
  }
  bool coin() { return stream_.below(2) == 0; }

 private:
  RngStream stream_;
};

// Every other pair is made to do its worst: two rows of length c along different axes, with the others at hand to hide
// rounding behind. The bound is that of the ledger, with grid and arithmetic.
TEST(ClippedProducts, MoveByAtMostTheSensitivityWhenOneRowIsReplaced) {
  constexpr int kPairs = 20'000;
  RowShapes shapes(21);
  double largest = 0.0;
  for (int pair = 0; pair < kPairs; ++pair) {
    const std::size_t m = shapes.whole(1, 30), n = shapes.whole(1, 8), j = shapes.whole(0, m - 1);
    NoisyProducts work{.bound = shapes.size(), .rhs_weight = shapes.size()};
    work.exponent = std::ilogb(work.bound * work.bound) - static_cast<std::int32_t>(shapes.whole(8, 40));
    NamelessRows table = shapes.table(m, n);
    if (shapes.coin()) std::ranges::fill(table.a[j], 0.0), table.a[j][0] = 1e9 * work.bound, table.b[j] = 0.0;
    const auto before = clipped_products(work, system_with(table));
    shapes.row(table.a[j], table.b[j]);
    if (shapes.coin()) std::ranges::fill(table.a[j], 0.0), table.b[j] = -1e9 * work.bound / work.rhs_weight;
    const auto after = clipped_products(work, system_with(table));

    const double moved = distance(before, after), bound = privacy::sensitivity(work, m, n);
    ASSERT_LE(moved, bound) << "pair " << pair;
    largest = std::max(largest, moved / bound);
  }
  EXPECT_GT(largest, 0.999);
}

// Rounding of a long sum would let a row change what those after it leave behind: on the grid nothing is left behind.
TEST(ClippedProducts, DifferByTheRowAloneWhateverStandsBesideIt) {
  constexpr std::size_t kRows = 20'000;
  const NoisyProducts work{.bound = 1.0, .rhs_weight = 1.0, .exponent = -30};
  LinearSystem many = generate({.rows = kRows, .cols = 3, .noise = 0.5, .seed = 5}).system;
  const auto with = clipped_products(work, many);
  const auto table = test::written_out(many.rows);
  const auto alone = clipped_products(work, system_with({{table[0]}, {many.rhs[0]}}));
  LinearSystem rest = system_with({{table.begin() + 1, table.end()}, {many.rhs.begin() + 1, many.rhs.end()}});
  const auto without = clipped_products(work, rest);
  for (std::size_t k = 0; k < with.size(); ++k) EXPECT_EQ(with[k] - without[k], alone[k]) << k;
}

TEST(ClippedProducts, HaveNoBoundWhereSumsWouldNotBeExact) {
  NoisyProducts work{.bound = 1.0, .rhs_weight = 1.0, .noise = 1.0, .exponent = -41};
  EXPECT_LT(privacy::sensitivity(work, 1000, 3), 1.5);
  EXPECT_TRUE(std::isinf(privacy::sensitivity(work, 1025, 3)));
  EXPECT_TRUE(std::isinf(privacy::rho_of_products(work, 1025, 3, 4)));
}

}  // namespace
}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#include "kaczmarz/clipped_pass.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "fedrk/error.hpp"
#include "fedrk/site.hpp"
#include "linalg/kernels.hpp"
#include "linalg/random/subset.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

RngStream order_of(std::uint64_t seed) { return stream_for(seed, Purpose::PassOrder); }

struct Rows2 {
  std::vector<std::vector<double>> a;
  std::vector<double> b;
};

RowBlock block_of(const Rows2& rows) {
  Matrix matrix(rows.a.size(), rows.a.front().size());
  for (std::size_t i = 0; i < rows.a.size(); ++i) std::ranges::copy(rows.a[i], matrix.values(i).begin());
  return RowBlock(LinearSystem{std::move(matrix), {rows.b.begin(), rows.b.end()}});
}

TEST(ClippedPass, GoesToEachHyperplaneButNoFurtherThanTheClip) {
  // Rows along the axes, so the order does not matter: 3 x_0 = 3 is 1 away from 0, 2 x_1 = -1 is 0.5 away.
  const RowBlock block = block_of({{{3.0, 0.0}, {0.0, 2.0}}, {3.0, -1.0}});
  const std::vector<double> zero(2, 0.0), there{1.0, -0.25};

  EXPECT_EQ(clipped_displacement({.clip = 0.75}, block, zero, order_of(1)), (AlignedVector{0.75, -0.5}));
  EXPECT_EQ(clipped_displacement({.clip = 2.0}, block, zero, order_of(1)), (AlignedVector{1.0, -0.5}));
  EXPECT_EQ(clipped_displacement({.clip = 0.75}, block, there, order_of(1)), (AlignedVector{0.0, -0.25}));
}

TEST(ClippedPass, UsesEachRowOnceAndNoMoreThanAskedFor) {
  const Rows2 same{std::vector<std::vector<double>>(10, {1.0}), std::vector<double>(10, 100.0)};
  const std::vector<double> zero(1, 0.0);

  EXPECT_EQ(clipped_displacement({.clip = 1.0}, block_of(same), zero, order_of(1))[0], 10.0);
  EXPECT_EQ(clipped_displacement({.steps = 4, .clip = 1.0}, block_of(same), zero, order_of(1))[0], 4.0);
  EXPECT_EQ(clipped_displacement({.steps = 99, .clip = 1.0}, block_of(same), zero, order_of(1))[0], 10.0);
}

TEST(ClippedPass, TakesTheRowsInAnOrderThatDoesNotLookAtThem) {
  // The first row drawn decides where a pass of one step goes. It is that of the permutation, whatever the rows hold.
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    RngStream stream = order_of(seed);
    const std::size_t first = draw_permutation(4, stream).front();
    for (const double scale : {1e-3, 1.0, 1e100}) {
      const Rows2 rows{{{scale}, {1.0}, {0.0}, {-2.0}}, {scale * 1e6, -2e6, 0.0, -6e6}};
      const double clip = 1.0, expected[] = {1.0, -1.0, 0.0, 1.0};
      const auto d = clipped_displacement({.steps = 1, .clip = clip}, block_of(rows), std::vector{0.0}, order_of(seed));
      EXPECT_EQ(d[0], expected[first]) << seed;
    }
  }
}

TEST(ClippedPass, ReadsSparseRowsAsDenseOnes) {
  LinearSystem sparse = generate({.rows = 60, .cols = 7, .noise = 0.5, .density = 0.4, .seed = 3}).system;
  const Rows2 rows{test::written_out(sparse.rows), {sparse.rhs.begin(), sparse.rhs.end()}};
  const RowBlock sparse_block(std::move(sparse));
  const std::vector<double> x = test::gaussian_vector(7, 1);

  const auto a = clipped_displacement({.clip = 0.1}, sparse_block, x, order_of(2));
  const auto b = clipped_displacement({.clip = 0.1}, block_of(rows), x, order_of(2));

  EXPECT_LT(distance(a, b), 1e-13);
}

// ---- Sensitivity.

class Shapes {
 public:
  explicit Shapes(std::uint64_t seed) : stream_(seed, Purpose::GeneratedMatrix) {}

  std::size_t whole(std::size_t from, std::size_t to) {
    return from + static_cast<std::size_t>(stream_.below(to - from + 1));
  }
  double size() { return std::pow(10.0, 12.0 * stream_.uniform() - 6.0); }  // from 1e-6 to 1e6
  /// Any row: ordinary, huge, tiny, along an axis, or zero.
  void row(std::vector<double>& a, double& b) {
    const auto kind = stream_.below(6);
    const double scale = kind == 0 ? 1e120 : kind == 1 ? 1e-120 : kind == 2 ? 1.0 : size();
    for (double& value : a) value = kind == 5 ? 0.0 : scale * stream_.gaussian();
    if (kind == 4) std::fill(a.begin() + 1, a.end(), 0.0);
    b = kind == 5 ? 0.0 : scale * size() * stream_.gaussian();
  }
  Rows2 rows(std::size_t m, std::size_t n) {
    Rows2 made{std::vector<std::vector<double>>(m, std::vector<double>(n)), std::vector<double>(m)};
    for (std::size_t i = 0; i < m; ++i) row(made.a[i], made.b[i]);
    return made;
  }
  double gaussian() { return stream_.gaussian(); }

 private:
  RngStream stream_;
};

TEST(ClippedPass, MovesByAtMostTwiceTheClipWhenOneRowIsReplaced) {
  constexpr int kPairs = 20'000;
  Shapes shapes(11);
  double largest = 0.0;
  for (int pair = 0; pair < kPairs; ++pair) {
    const std::size_t m = shapes.whole(1, 30), n = shapes.whole(1, 8);
    Rows2 rows = shapes.rows(m, n);
    const RowBlock before = block_of(rows);
    const std::size_t j = shapes.whole(0, m - 1);
    shapes.row(rows.a[j], rows.b[j]);
    const RowBlock after = block_of(rows);
    const ClippedPass pass{.clip = shapes.size()};
    std::vector<double> x(n);
    const double far = shapes.size();
    for (double& value : x) value = far * shapes.gaussian();

    const auto one = clipped_displacement(pass, before, x, order_of(static_cast<std::uint64_t>(pair)));
    const auto other = clipped_displacement(pass, after, x, order_of(static_cast<std::uint64_t>(pair)));

    // As gaussian_privacy.hpp has it, the rounding errors of 30 steps in 8 columns are below
    // (8 + 13) 30^2 2^-53 = 2.1e-12.
    const double bound = 2.0 * pass.clip;
    ASSERT_LE(distance(one, other), bound * (1.0 + 2.2e-12)) << "pair " << pair;
    largest = std::max(largest, distance(one, other) / bound);
  }
  EXPECT_GT(largest, 0.999);  // and the bound is attained: no smaller one would do
}

TEST(ClippedPass, StaysWithinTheBoundOnTheGrid) {
  constexpr int kPairs = 10'000;
  Shapes shapes(12);
  for (int pair = 0; pair < kPairs; ++pair) {
    const std::size_t m = shapes.whole(1, 12), n = shapes.whole(1, 8);
    Rows2 rows = shapes.rows(m, n);
    const RowBlock before = block_of(rows);
    shapes.row(rows.a[0], rows.b[0]);
    const RowBlock after = block_of(rows);
    const ClippedPass pass{.clip = 1.0};
    const GridNoise grid{.share = 16.0, .exponent = -4};  // a coarse one
    const std::vector<double> x(n, 0.0);
    const auto seed = static_cast<std::uint64_t>(pair);

    auto one = clipped_displacement(pass, before, x, order_of(seed));
    auto other = clipped_displacement(pass, after, x, order_of(seed));
    RngStream noise = stream_for(seed, Purpose::PrivacyNoise), again = noise;
    put_on_noisy_grid(grid, {}, noise, one);
    put_on_noisy_grid(grid, {}, again, other);

    ASSERT_LE(distance(one, other), 2.0 + std::sqrt(static_cast<double>(n)) / 16.0 + 1e-11);
  }
}

TEST(ClippedPass, BringsTwoStartsNoFurtherApart) {
  Shapes shapes(13);
  for (int pair = 0; pair < 2000; ++pair) {
    const std::size_t n = shapes.whole(1, 8);
    const RowBlock block = block_of(shapes.rows(shapes.whole(1, 20), n));
    const ClippedPass pass{.clip = shapes.size()};
    std::vector<double> x(n), y(n);
    for (std::size_t k = 0; k < n; ++k) {
      x[k] = shapes.gaussian();
      y[k] = x[k] + shapes.gaussian();
    }
    const double apart = distance(x, y);

    axpy(1.0, clipped_displacement(pass, block, x, order_of(7)), x);
    axpy(1.0, clipped_displacement(pass, block, y, order_of(7)), y);

    // What x and y lose to rounding is relative to how far the pass goes.
    ASSERT_LE(distance(x, y), apart * (1.0 + 1e-12) + 1e-13 * (20.0 * pass.clip + 1.0));
  }
}

// ---- Grid and noise.

TEST(ClippedPass, PutsValuesOnTheGridAndAddsTheNumbersThatItIsGiven) {
  const GridNoise grid{.share = 1.0, .exponent = -2};  // quarters
  const std::vector<double> gaussians{0.0, 1.0, -0.6, 0.1};
  std::vector<double> values{0.3, 0.3, 1.0, -0.99};
  RngStream unused = stream_for(1, Purpose::PrivacyNoise);

  put_on_noisy_grid(grid, gaussians, unused, values);

  EXPECT_EQ(values, (std::vector<double>{0.25, 1.25, 0.5, -1.0}));
}

TEST(ClippedPass, RefusesTooFewGaussianNumbers) {
  RngStream stream = stream_for(1, Purpose::PrivacyNoise);
  std::vector<double> values(3, 0.0);
  EXPECT_THROW(put_on_noisy_grid({.share = 1.0}, std::vector<double>{1.0, 2.0}, stream, values), InvalidArgument);
}

TEST(ClippedPass, StaysAtTheLargestNumberOfTheGrid) {
  std::vector<double> values{1e300, -1e300, 3.0};
  RngStream stream = stream_for(1, Purpose::PrivacyNoise);
  put_on_noisy_grid({.share = 0.0, .exponent = -3}, {}, stream, values);
  EXPECT_EQ(values, (std::vector<double>{0x1.0p49, -0x1.0p49, 3.0}));
}

TEST(ClippedPass, AddsNoiseOfTheShareThatWasAskedForOnTheGrid) {
  constexpr std::size_t kCount = 200'000;
  constexpr double kShare = 0.3;
  std::vector<double> values(kCount, 0.0);
  RngStream stream = stream_for(5, Purpose::PrivacyNoise);

  put_on_noisy_grid({.share = kShare, .exponent = -22}, {}, stream, values);

  double sum = 0.0, squares = 0.0;
  for (const double value : values) {
    EXPECT_EQ(std::ldexp(value, 22), std::nearbyint(std::ldexp(value, 22)));
    sum += value / kShare;
    squares += value * value / (kShare * kShare);
  }
  // Of `squares`, chi-square with kCount degrees of freedom, the deviation is sqrt(2 kCount) = 632; five of them.
  EXPECT_NEAR(squares, static_cast<double>(kCount), 5.0 * std::sqrt(2.0 * kCount));
  EXPECT_NEAR(sum, 0.0, 5.0 * std::sqrt(static_cast<double>(kCount)));
}

TEST(ClippedPass, IsWhatAClientAnswersTheSameEachTimeItIsAsked) {
  Client client(ClientId{0}, "a", block_of({{{3.0, 0.0}, {0.0, 2.0}}, {3.0, -1.0}}), 7);
  const std::vector<double> x(2, 0.0), gaussians{1.0, -1.0};
  LocalTask task{RoundIndex{2}, x, ClippedPass{.clip = 0.75, .noise = 2.0, .exponent = -20}, false, 0, {},
                 Reveal::Sums};

  const LocalReply first = client.local_update(task);
  EXPECT_EQ(client.local_update(task).values, first.values);
  EXPECT_FALSE(first.gap);
  task.gaussians = gaussians;
  EXPECT_EQ(client.local_update(task).values, (AlignedVector{2.75, -2.5}));
  task.gaussians = {};
  task.fresh_draws = 99;
  EXPECT_NE(client.local_update(task).values, first.values);
}

}  // namespace
}  // namespace fedrk

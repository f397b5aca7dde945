// SPDX-License-Identifier: Apache-2.0
#include "analysis/span_attack.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "attacks/attack_score.hpp"
#include "support/masked_sums.hpp"

namespace fedrk {
namespace {

using test::watch_equations;

constexpr ClientId kOne{0}, kTwo{1}, kThree{2};

Observation sum_seen(LocalWork work, std::vector<double> x, AlignedVector values, std::optional<double> gap = {}) {
  return {RoundIndex{0}, work, std::move(x), {kOne, kTwo}, {ClientId{}, std::move(values), {}, gap}};
}

TEST(SpanAttack, ReadsSumsAsCombinationsOfRecords) {
  // Of <(1, 0, 1), x> = 2 and <(0, 1, 1), x> = 5: a displacement of y = (2, 3) from x, and A^T A e_1.
  Transcript seen{sum_seen(CutSteps{}, {1.0, 1.0, 1.0}, {2.0, 3.0, 5.0}, 19.0 - 10.0),
                  sum_seen(NormalProduct{}, {1.0, 0.0, 0.0}, {1.0, 0.0, 1.0})};

  const auto spans = spans_of(seen);

  ASSERT_EQ(spans.size(), 1);
  EXPECT_EQ(spans[0].clients, (std::vector{kOne, kTwo}));
  ASSERT_EQ(spans[0].vectors.size(), 2);
  EXPECT_EQ(spans[0].vectors[0], (std::vector{2.0, 3.0, 5.0, 2.0 * 2.0 + 3.0 * 5.0}));
  EXPECT_TRUE(std::isnan(spans[0].vectors[1].back()));  // nothing was said of b
  EXPECT_EQ(dimension_of(spans[0]), 2);
}

TEST(SpanAttack, ReadsTheColumnsOfCrossProducts) {
  // Z = [A b] of the row (1, 2), 3 and its pairs: the upper triangle of Z^T Z.
  const auto plain = spans_of({sum_seen(CrossProducts{}, {}, {1.0, 2.0, 3.0, 4.0, 6.0, 9.0})});
  const auto pairs = spans_of(
      {sum_seen(CrossProducts{.pairs = true}, {}, {1.0, 0.0, 2.0, 0.0, 3.0, 0.0, 4.0, 0.0, 6.0, 0.0, 9.0, 0.0})});

  ASSERT_EQ(plain.size(), 1);
  EXPECT_EQ(plain[0].vectors, pairs[0].vectors);
  EXPECT_EQ(plain[0].vectors[1], (std::vector{2.0, 4.0, 6.0}));
  EXPECT_EQ(dimension_of(plain[0]), 1);
}

TEST(SpanAttack, KeepsTheGroupsOfARunApart) {
  Transcript seen{sum_seen(Gradient{}, {0.0, 0.0}, {1.0, 2.0}), sum_seen(Gradient{}, {0.0, 0.0}, {3.0, 4.0})};
  seen[1].clients = {kTwo, kThree};

  const auto spans = spans_of(seen);

  ASSERT_EQ(spans.size(), 3);
  EXPECT_EQ(spans[2].clients, (std::vector{kOne, kTwo, kThree}));
  EXPECT_EQ(dimension_of(spans[2]), 2);
}

// Rows against columns as in a wide table; each table takes one run.
TEST(SpanAttack, RebuildsABinaryTableFromOneMaskedRun) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const auto run = watch_equations(test::discrete_table(28, 120, 2, seed), 7, 3, {seed});

    const AttackScore score = score_of(recover_discrete(run.transcript), run.truth);

    EXPECT_EQ(score.found, 28) << seed;
    EXPECT_EQ(score.wrong, 0) << seed;
  }
}

TEST(SpanAttack, RebuildsGenotypes) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const auto run = watch_equations(test::discrete_table(21, 300, 3, seed), 7, 0, {seed, seed + 10});

    const AttackScore score = score_of(recover_discrete(run.transcript, {.levels = 3}), run.truth);

    EXPECT_EQ(score.found, 21) << seed;
    EXPECT_EQ(score.wrong, 0) << seed;
  }
}

// Which of a point and its mirror image is a record, where both are in the span.
TEST(SpanAttack, TellsMirrorImagesByTheIntercept) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    LinearSystem table = test::discrete_table(20, 200, 2, seed);
    add_intercept(table);
    auto& rows = std::get<Matrix>(table.rows);
    for (double& entry : rows.row(19)) entry = 1.0;  // a record of ones makes mirror images of all others

    const auto run = watch_equations(std::move(table), 4, 0, {seed, seed + 10});
    const AttackScore score = score_of(recover_discrete(run.transcript, {.ones = 0}), run.truth);

    EXPECT_GE(score.found, 19) << seed;
    EXPECT_EQ(score.wrong, 0) << seed;
  }
}

TEST(SpanAttack, FindsNothingInAShareOfTheDirections) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    auto run = watch_equations(test::discrete_table(28, 120, 2, seed), 7, 0, {seed});
    run.transcript.resize(5);  // a fifth of the 28 rows

    EXPECT_TRUE(recover_discrete(run.transcript).empty()) << seed;
  }
}

// Columns that are no whole numbers do not disturb those that are.
TEST(SpanAttack, SearchesSomeOfTheColumns) {
  LinearSystem table = test::discrete_table(28, 140, 2, 1);
  auto& rows = std::get<Matrix>(table.rows);
  std::vector<std::size_t> discrete;
  for (std::size_t j = 0; j < 140; ++j) {
    if (j % 7 != 0) discrete.push_back(j);
  }
  for (std::size_t i = 0; i < 28; ++i) {
    for (std::size_t j = 0; j < 140; j += 7) rows.row(i)[j] += 0.1 * static_cast<double>(i % 5);
  }
  table.rhs = multiply(table.rows, test::gaussian_vector(140, 1));
  const auto run = watch_equations(copy_of(table), 7, 3, {1, 2});

  std::vector<ShownSpan> parts;
  for (const ShownSpan& span : spans_of(run.transcript)) parts.push_back(restrict_to(span, discrete));
  const auto found = recover_discrete(parts);

  std::size_t right = 0;
  for (std::size_t i = 0; i < 28; ++i) {
    std::vector<double> record;
    for (const std::size_t j : discrete) record.push_back(rows.row(i)[j]);
    right += static_cast<std::size_t>(std::ranges::count(found, record, &RecoveredRecord::a));
  }
  EXPECT_EQ(found.size(), 28);
  EXPECT_EQ(right, 28);
}

TEST(SpanAttack, TellsWhichRowsAreAmongThoseOfASum) {
  const auto run = watch_equations(test::discrete_table(28, 120, 2, 1), 7, 0, {1, 2});
  std::vector<std::vector<double>> rows;
  for (std::size_t i = 0; i < 28; ++i) {
    const auto row = std::get<Matrix>(run.truth[0].rows).row(i);
    rows.emplace_back(row.begin(), row.end());
  }
  std::vector<std::vector<double>> neighbours = rows;
  for (auto& row : neighbours) row[0] = 1.0 - row[0];  // somebody else's, but for one entry

  const auto spans = spans_of(run.transcript);

  ASSERT_EQ(spans.size(), 1);
  EXPECT_EQ(std::ranges::count(lie_in(spans[0], rows), true), 28);
  EXPECT_EQ(std::ranges::count(lie_in(spans[0], neighbours), true), 0);
}

TEST(SpanAttack, FindsNothingWhereTheSpanIsEverything) {
  const auto run = watch_equations(test::discrete_table(60, 60, 2, 1), 4, 0, {1, 2, 3});

  EXPECT_TRUE(recover_discrete(run.transcript).empty());
}

}  // namespace
}  // namespace fedrk

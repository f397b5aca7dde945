// SPDX-License-Identifier: Apache-2.0
#include "attacks/chosen_attack.hpp"

#include <gtest/gtest.h>

#include "attacks/attack_score.hpp"
#include "support/masked_sums.hpp"

namespace fedrk {
namespace {

constexpr StepOptions kShuffled{.sampling = RowSampling::Shuffled};

// An intercept, a Gaussian column, ages from 40 on, each once, and a column that marks the first of the sites.
LinearSystem table_of(std::size_t rows, std::size_t marked, std::uint64_t seed) {
  Matrix matrix(rows, 4);
  RngStream stream = stream_for(seed, Purpose::GeneratedMatrix);
  std::vector<double> rhs;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto row = matrix.row(i);
    row[0] = 1.0;
    row[1] = stream.gaussian();
    row[2] = 40.0 + static_cast<double>(i);
    row[3] = i < marked ? 1.0 : 0.0;
    rhs.push_back(stream.gaussian());
  }
  return {std::move(matrix), std::move(rhs)};
}

LocalTask question(std::span<const double> x, std::uint32_t round) {
  return {.round = RoundIndex{round}, .x = x, .work = CutSteps{FixedSteps{1}}, .reveal = Reveal::Sums};
}

TEST(ChosenAttack, ReadsSingleStepsOfASiteThatAColumnMarks) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const LinearSystem table = table_of(20, 4, seed);
    test::MaskedSums clients(test::clients_of(copy_of(table), 5, seed, kShuffled), seed);
    RecordingEngine engine(clients);
    const auto x = isolating_point(4, 3);
    for (std::uint32_t t = 0; t < 60; ++t) (void)engine.local_updates(question(x, t), test::everyone_but(engine));

    const auto found = recover_isolated(engine.transcript(), {.ones = 0});

    // The sum holds the others' steps to 1/t = 1e-8 of its length, some thousand of the marked row's.
    const AttackScore score = score_of(found, {&table, 1}, 1e-4);
    EXPECT_EQ(score.found, 4) << seed;
    EXPECT_EQ(score.wrong, 0) << seed;
  }
}

TEST(ChosenAttack, ReadsNothingFromSingleStepsAtAnX) {
  const LinearSystem table = table_of(20, 4, 1);
  test::MaskedSums clients(test::clients_of(copy_of(table), 5, 1, kShuffled), 1);
  RecordingEngine engine(clients);
  for (std::uint32_t t = 0; t < 60; ++t) {
    const auto x = test::gaussian_vector(4, t);
    (void)engine.local_updates(question(x, t), test::everyone_but(engine));
  }

  EXPECT_EQ(score_of(recover_isolated(engine.transcript(), {.ones = 0}), {&table, 1}, 1e-3).found, 0);
}

// Runs of one group; those whose scales clients would refuse can be left as they are.
PreparedRun runs_of(const LinearSystem& table, bool own_preparation) {
  return [&table, own_preparation](const Scaling& scaling, std::span<const std::vector<double>> points) {
    LinearSystem prepared = copy_of(table);
    if (!own_preparation) apply(scaling, prepared);
    test::MaskedSums clients(test::clients_of(std::move(prepared), 5, 1, kShuffled), 1);
    RecordingEngine engine(clients);
    for (std::uint32_t t = 0; t < points.size(); ++t) {
      LocalTask task = question(points[t], t);
      task.work = CutSteps{FixedSteps{4}};
      (void)engine.local_updates(task, test::everyone_but(engine));
    }
    return engine.transcript();
  };
}

PreparationOptions ages_from_40(std::size_t count) {
  PreparationOptions options{.ones = 0, .listed = 2, .values = {}};
  for (std::size_t k = 0; k < count; ++k) options.values.push_back(40.0 + static_cast<double>(k));
  return options;
}

TEST(ChosenAttack, ReadsTheRowThatChosenScalesLeaveShort) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const LinearSystem table = table_of(20, 0, seed);

    const auto found = recover_by_preparation(runs_of(table, false), 4, ages_from_40(20));

    EXPECT_EQ(found.runs, 20);
    EXPECT_EQ(score_of(found.records, {&table, 1}).found, 20) << seed;
    EXPECT_EQ(found.records.size(), 20);
  }
}

TEST(ChosenAttack, PartsRowsOfOneAgeByAnotherColumn) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    LinearSystem table = table_of(20, 0, seed);
    for (std::size_t i = 0; i < 20; ++i) std::get<Matrix>(table.rows).row(i)[2] = 40.0 + static_cast<double>(i % 10);
    PreparationOptions options = ages_from_40(10);
    options.measured = 1;
    for (double start = -2.0; start <= 2.0; start += 0.25) options.starts.push_back(start);

    const AttackScore score =
        score_of(recover_by_preparation(runs_of(table, false), 4, options).records, {&table, 1}, 1e-5);

    EXPECT_EQ(score.found, 20) << seed;
    EXPECT_EQ(score.wrong, 0) << seed;
  }
}

TEST(ChosenAttack, ReadsNothingWhereClientsPrepareTheirRowsThemselves) {
  const LinearSystem table = table_of(20, 0, 1);

  EXPECT_TRUE(recover_by_preparation(runs_of(table, true), 4, ages_from_40(20)).records.empty());
}

}  // namespace
}  // namespace fedrk

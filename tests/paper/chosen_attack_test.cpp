// SPDX-License-Identifier: Apache-2.0

// What a server gets out of the prostate data that chooses x, centres and scales.

#include <gtest/gtest.h>

#include "attacks/attack_score.hpp"
#include "attacks/chosen_attack.hpp"
#include "round/groups.hpp"
#include "support/masked_sums.hpp"
#include "support/prostate_table.hpp"

namespace fedrk {
namespace {

constexpr StepOptions kShuffled{.sampling = RowSampling::Shuffled};

// The records with a column more for each site, 1 for its own rows.
LinearSystem with_site_columns(const LinearSystem& table, std::size_t sites) {
  const auto& rows = std::get<Matrix>(table.rows);
  const Partition partition = partition_contiguous(rows.rows(), sites);
  Matrix wider(rows.rows(), rows.cols() + sites);
  std::size_t i = 0;
  for (std::size_t site = 0; site < sites; ++site) {
    for (std::size_t k = 0; k < partition.counts[site]; ++k, ++i) {
      std::ranges::copy(rows.row(i), wider.row(i).begin());
      wider.row(i)[rows.cols() + site] = 1.0;
    }
  }
  return {std::move(wider), table.rhs};
}

TEST(ChosenAttack, ReadsTheRecordsOfEachSiteThatAColumnMarks) {
  constexpr std::size_t kSites = 7;
  const LinearSystem table = with_site_columns(test::prostate_table(), kSites);
  const std::size_t unknowns = column_count(table.rows);
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    test::MaskedSums clients(test::clients_of(copy_of(table), kSites, seed, kShuffled), seed);
    RecordingEngine engine(clients);
    for (std::uint32_t t = 0; t < 100 * kSites; ++t) {
      const auto x = isolating_point(unknowns, unknowns - kSites + t % kSites);
      (void)engine.local_updates(
          {.round = RoundIndex{t}, .x = x, .work = CutSteps{FixedSteps{1}}, .reveal = Reveal::Sums},
          test::everyone_but(engine));
    }

    const AttackScore score = score_of(recover_isolated(engine.transcript(), {.ones = 0}), {&table, 1}, 1e-5);

    EXPECT_EQ(score.found, 97) << seed;
    EXPECT_EQ(score.wrong, 0) << seed;
  }
}

std::vector<double> from_to(double first, double last, double step) {
  std::vector<double> values;
  for (double value = first; value <= last; value += step) values.push_back(value);
  return values;
}

// Short runs of seven sites with a pass of local steps, whose rows are prepared as the server says.
PreparedRun short_runs(const LinearSystem& table, std::size_t participants, std::uint64_t seed) {
  return [&table, participants, seed](const Scaling& scaling, std::span<const std::vector<double>> points) {
    LinearSystem prepared = copy_of(table);
    apply(scaling, prepared);
    test::MaskedSums clients(test::clients_of(std::move(prepared), 7, seed, kShuffled), seed);
    RecordingEngine engine(clients);
    const Groups groups(engine.roster(), participants, 3);
    for (std::size_t k = 0; k < groups.count(); ++k) {
      for (std::uint32_t t = 0; t < points.size(); ++t) {
        const LocalTask task{
            .round = RoundIndex{t}, .x = points[t], .work = CutSteps{FixedSteps{14}}, .reveal = Reveal::Sums};
        (void)engine.local_updates(task, groups.at(k));
      }
    }
    return engine.transcript();
  };
}

// Records alone of their age in a group come out at once, others where lcavol parts them. Groups are
// neighbours in file order, which is that of lpsa, so rows are more alike than in groups drawn at random (49 to 54).
TEST(ChosenAttack, ReadsRecordsByCentresAndScales) {
  const LinearSystem table = test::prostate_table();
  const PreparationOptions options{.ones = 0,
                                   .listed = test::kAge,
                                   .values = from_to(41.0, 79.0, 1.0),
                                   .measured = test::kLcavol,
                                   .starts = from_to(-1.5, 4.0, 1.0)};
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const auto found = recover_by_preparation(short_runs(table, 3, seed), column_count(table.rows), options);
    const AttackScore score = score_of(found.records, {&table, 1}, 1e-5);
    EXPECT_GE(score.found, 44) << seed;
    EXPECT_EQ(score.wrong, 0) << seed;
  }
}

}  // namespace
}  // namespace fedrk

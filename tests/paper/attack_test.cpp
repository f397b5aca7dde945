// SPDX-License-Identifier: Apache-2.0

// What FedRK gives away on the paper's own data, and what sums do not.

#include <gtest/gtest.h>

#include "support/prostate_attack.hpp"

namespace fedrk {
namespace {

// Which records come out depends on the points and on where the search begins; eight seeds gave 63 to 86.
TEST(Attack, RebuildsMostRecordsOfFedrkOnProstate) {
  const auto run = test::fedrk_prostate_run(1);

  EXPECT_GE(test::records_without_draws(run), 50);
}

TEST(Attack, RebuildsAllRecordsWhereTheDrawsAreKnown) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    EXPECT_EQ(test::records_with_draws(test::fedrk_prostate_run(seed), seed), 97);
  }
}

TEST(Attack, ConfirmsEveryRecordThatSomeoneAlreadyKnows) {
  const auto run = test::fedrk_prostate_run(1);

  std::size_t confirmed = 0, mistaken = 0;
  for (std::uint32_t i = 0; i < run.truth.size(); ++i) {
    const auto& matrix = std::get<Matrix>(run.truth[i].rows);
    for (std::uint32_t owner : {i, (i + 1) % 7}) {
      const auto updates = updates_of(run.transcript, ClientId{owner});
      for (std::size_t j = 0; j < matrix.rows(); ++j) {
        (owner == i ? confirmed : mistaken) += holds(matrix.row(j), run.truth[i].rhs[j], updates) ? 1 : 0;
      }
    }
  }

  EXPECT_EQ(confirmed, 97);
  EXPECT_EQ(mistaken, 0);  // of the neighbour's records
}

TEST(Attack, RebuildsNoRecordFromSums) {
  const StepOptions shuffled{.sampling = RowSampling::Shuffled};
  const auto usual =
      test::prostate_run({.reveal = Reveal::Sums, .soft = 0.1}, {.rounds = 150, .participants = 3}, shuffled);
  const auto few_steps = test::prostate_run({.memory = 0, .reveal = Reveal::Sums},
                                            {.rounds = 300, .participants = 3, .local_budget = FixedSteps{20}});
  const auto one_step = test::prostate_run({.memory = 0, .reveal = Reveal::Sums},
                                           {.rounds = 100, .participants = 3, .local_budget = FixedSteps{1}});

  for (const auto* run : {&usual, &few_steps, &one_step}) {
    for (std::uint32_t i = 0; i < 7; ++i) EXPECT_TRUE(updates_of(run->transcript, ClientId{i}).empty());
    EXPECT_GE(sums_as_updates(run->transcript, ReadAs::Sum).size(), 30) << "there is something to read";
    EXPECT_EQ(test::records_from_sums(*run), 0);
  }
}

}  // namespace
}  // namespace fedrk

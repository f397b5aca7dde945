// SPDX-License-Identifier: Apache-2.0

// The cases that every engine runs, on as many ranks as the launcher starts. All ranks go through the same tests;
// rank 0 looks at what comes out, the others serve it.

#include <algorithm>
#include <functional>
#include <numeric>

#include <gtest/gtest.h>

#include "engine/column_squares.hpp"
#include "engine/engine_cases.hpp"
#include "fedrk/error.hpp"
#include "fedrk/mpi.hpp"
#include "problem/partition.hpp"

namespace fedrk {
namespace {

mpi::Ranks* all_ranks = nullptr;

/// This rank's share of the clients.
ClientGroup share_of(std::vector<Client> clients, std::size_t threads) {
  std::vector<std::size_t> rows;
  for (const Client& client : clients) rows.push_back(client.summary().rows);
  const auto first = balanced_blocks(rows, all_ranks->count());
  const std::size_t rank = all_ranks->rank();
  std::vector<Client> own;
  for (std::size_t i = first[rank]; i < first[rank + 1]; ++i) own.push_back(std::move(clients[i]));
  return {std::move(own), threads, ClientId{static_cast<std::uint32_t>(first[rank])}};
}

void at_rank_0(const std::function<std::vector<Client>()>& clients, std::size_t threads,
               const std::function<void(mpi::MpiEngine&)>& look) {
  if (all_ranks->rank() != 0) return mpi::serve(*all_ranks, share_of(clients(), threads));
  mpi::MpiEngine engine(*all_ranks, share_of(clients(), threads));
  look(engine);
}

class Mpi : public testing::TestWithParam<test::EngineCase> {};
INSTANTIATE_TEST_SUITE_P(Cases, Mpi, testing::ValuesIn(test::engine_cases()),
                         [](const auto& test) { return test.param.name; });

TEST_P(Mpi, GivesTheBitsOfOneProcess) {
  for (const std::size_t threads : {1U, 3U}) {
    const auto clients = [&] { return test::clients_for(GetParam()); };
    at_rank_0(clients, threads, [&](mpi::MpiEngine& engine) {
      InProcessEngine alone(clients(), 1);

      EXPECT_TRUE(test::trace_of(engine, GetParam()) == test::trace_of(alone, GetParam())) << threads << " threads";
    });
  }
}

TEST(MpiColumnSquares, AreThoseOfOneProcess) {
  for (const bool sparse : {false, true}) {
    const auto clients = [&] { return test::clients_with_columns(sparse); };
    at_rank_0(clients, 1, [&](mpi::MpiEngine& engine) {
      InProcessEngine alone(clients(), 1);
      test::expect_same_column_squares(engine, alone);
    });
  }
}

// ---- Sums.

std::vector<ClientId> everyone(const Engine& engine) {
  std::vector<ClientId> all;
  for (const ClientSummary& client : engine.roster()) all.push_back(client.id);
  return all;
}

// 20 numbers travel in one message, 40000 in five segments, 300000 in many.
TEST(MpiSums, AreThoseOfOneProcessForLongAndShortVectors) {
  for (const std::size_t cols : {20U, 40000U, 300000U}) {
    const auto clients = [&] { return test::clients_of(generate({.rows = 14, .cols = cols, .seed = 3}).system, 7, 3); };
    at_rank_0(clients, 1, [&](Engine& engine) {
      InProcessEngine alone(clients(), 1);
      const auto x = test::gaussian_vector(cols, 3);
      for (std::uint32_t skipped = 0; skipped < 7; ++skipped) {
        std::vector<ClientId> some = everyone(engine);
        std::erase_if(some, [&](ClientId client) { return client.value >= skipped && client.value < skipped + 4; });
        LocalTask task{RoundIndex{skipped}, x, CutSteps{FixedSteps{9}}, true};
        task.reveal = Reveal::Sums;

        const RoundReplies here = alone.local_updates(task, some), there = engine.local_updates(task, some);

        ASSERT_EQ(there.replies.size(), 1);
        EXPECT_TRUE(there.replies[0].values == here.replies[0].values);
        EXPECT_EQ(there.replies[0].gap, here.replies[0].gap);
        EXPECT_EQ(there.replies[0].squared_residual, here.replies[0].squared_residual);
        EXPECT_EQ(there.replies[0].client, here.replies[0].client);
        EXPECT_EQ(there.answered, here.answered);
      }
    });
  }
}

std::vector<Client> single_rows(std::span<const std::size_t> entries, std::size_t cols) {
  std::vector<Client> clients;
  for (std::uint32_t i = 0; i < entries.size(); ++i) {
    Matrix row(1, cols);
    row.row(0)[entries[i]] = 1.0;
    clients.emplace_back(ClientId{i}, "client-" + std::to_string(i + 1), RowBlock({std::move(row), {1.0}}), i);
  }
  return clients;
}

// Who looks at the second entry of this x makes a step that cannot be squared. In the second case only such are there,
// in the third they are so many that the news of them do not fit into a usual message.
TEST(MpiSums, LeaveOutPartsThatWouldSpoilThem) {
  const std::vector<std::vector<std::size_t>> cases{
      {1, 0, 1, 0, 2, 1, 0}, {1, 1, 1, 1, 1, 1}, std::vector<std::size_t>(3000, 1)};
  for (const std::size_t cols : {4U, 20000U}) {
    for (const auto& entries : cases) {
      if (cols > 4 && entries.size() > 100) continue;  // nothing new, and much memory
      const auto clients = [&] { return single_rows(entries, cols); };
      at_rank_0(clients, 1, [&](Engine& engine) {
        InProcessEngine alone(clients(), 1);
        std::vector<double> x(cols, 0.0);
        x[1] = 1e160;
        LocalTask task{RoundIndex{0}, x, CutSteps{FixedSteps{1}}, false};
        task.reveal = Reveal::Sums;

        const auto here = alone.local_updates(task, everyone(engine));
        const auto there = engine.local_updates(task, everyone(engine));

        EXPECT_EQ(there.answered, here.answered);
        ASSERT_EQ(there.replies.size(), here.replies.size());
        for (const LocalReply& sum : here.replies) EXPECT_TRUE(there.replies[0].values == sum.values);
        ASSERT_EQ(there.absences.size(), here.absences.size());
        for (std::size_t k = 0; k < here.absences.size(); ++k) {
          EXPECT_EQ(there.absences[k].client, here.absences[k].client);
          EXPECT_EQ(there.absences[k].reason, here.absences[k].reason);
        }
      });
    }
  }
}

TEST(MpiSums, AreThoseOfOneProcessForManyClientsOfARank) {
  for (const std::size_t cols : {100U, 20000U}) {
    const auto clients = [&] {
      return test::clients_of(generate({.rows = 60, .cols = cols, .seed = 3}).system, 60, 3);
    };
    at_rank_0(clients, 1, [&](Engine& engine) {
      InProcessEngine alone(clients(), 1);
      const auto x = test::gaussian_vector(cols, 3);
      LocalTask task{RoundIndex{0}, x, CutSteps{FixedSteps{1}}, true};
      task.reveal = Reveal::Sums;

      const RoundReplies here = alone.local_updates(task, everyone(engine));
      const RoundReplies there = engine.local_updates(task, everyone(engine));

      ASSERT_EQ(there.replies.size(), 1);
      EXPECT_TRUE(there.replies[0].values == here.replies[0].values);
      EXPECT_EQ(there.answered, here.answered);
    });
  }
}

// ---- What goes wrong.

// A client that can do nothing with some columns of its rows refuses to go on, at whatever rank it is. What others
// have sent by then, long vectors too, does not come into the next round.
TEST(MpiFailure, OfAClientIsThrownAtRankZero) {
  for (const std::size_t wide : {1U, 9000U}) {  // columns of which one client makes nothing
    const auto clients = [&] {
      LinearSystem system = generate({.rows = 12, .cols = 6 * wide + 2, .seed = 3}).system;
      for (std::size_t j = 0; j < 12; ++j) {
        std::ranges::fill(std::get<Matrix>(system.rows).row(j).subspan(j / 2 * wide, wide), 1e-200);
      }
      return test::clients_of(std::move(system), 6, 3);
    };
    at_rank_0(clients, 1, [&](Engine& engine) {
      const std::vector<double> x(6 * wide + 2, 0.0);
      for (const Reveal reveal : {Reveal::Sums, Reveal::Updates}) {
        for (std::uint32_t misled = 0; misled < 6; ++misled) {
          std::vector<std::uint32_t> columns(wide);
          std::iota(columns.begin(), columns.end(), static_cast<std::uint32_t>(misled * wide));
          LocalTask task{RoundIndex{0}, std::span(x).first(wide), CutSteps{FixedSteps{1}}, false};
          task.reveal = reveal;
          task.columns = columns;

          EXPECT_THROW(engine.local_updates(task, everyone(engine)), InvalidArgument) << misled;
        }
      }
      const LocalTask task{RoundIndex{0}, x, FixedSteps{1}, true};
      EXPECT_EQ(engine.local_updates(task, everyone(engine)).replies.size(), 6) << "and the next round is as ever";
    });
  }
}

TEST(MpiOpening, RefusesClientsThatDoNotFitEachOther) {
  std::vector<Client> other;
  const auto rank = static_cast<std::uint32_t>(all_ranks->rank());
  Matrix row(1, 3 + rank);
  row.row(0)[0] = 1.0;
  other.emplace_back(ClientId{rank}, "client", RowBlock({std::move(row), {1.0}}), 1);
  ClientGroup group(std::move(other), 1, ClientId{rank});

  if (rank != 0) return mpi::serve(*all_ranks, std::move(group));
  if (all_ranks->count() == 1) {
    EXPECT_NO_THROW(mpi::MpiEngine(*all_ranks, std::move(group)));
  } else {
    EXPECT_THROW(mpi::MpiEngine(*all_ranks, std::move(group)), InvalidArgument);
  }
}

TEST(MpiOpening, RefusesAnEmptyFederation) {
  ClientGroup nobody({}, 1);

  if (all_ranks->rank() != 0) return mpi::serve(*all_ranks, std::move(nobody));
  EXPECT_THROW(mpi::MpiEngine(*all_ranks, std::move(nobody)), InvalidArgument);
}

}  // namespace
}  // namespace fedrk

int main(int argc, char** argv) {
  fedrk::mpi::Ranks ranks(argc, argv);
  fedrk::all_ranks = &ranks;
  testing::InitGoogleTest(&argc, argv);
  if (ranks.rank() != 0) {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
  }
  return RUN_ALL_TESTS();
}

// SPDX-License-Identifier: Apache-2.0
#pragma once

// The question that docs/walk.md adds as an example, asked through an engine.

#include <vector>

#include <gtest/gtest.h>

#include "fedrk/engine.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk::test {

constexpr std::size_t kSquaredColumns = 4;

/// Seven clients, of dense rows or of sparse ones.
inline std::vector<Client> clients_with_columns(bool sparse) {
  GeneratorOptions problem{.rows = 30, .cols = kSquaredColumns, .seed = 5};
  if (sparse) problem.density = 0.5;
  return clients_of(generate(problem).system, 7, 5);
}

inline LocalTask column_squares(std::uint32_t column, Reveal reveal) {
  LocalTask task{RoundIndex{column}, {}, ColumnSquares{column}};
  task.reveal = reveal;
  return task;
}

inline std::vector<ClientId> everyone_in(const Engine& engine) {
  std::vector<ClientId> all;
  for (const ClientSummary& client : engine.roster()) all.push_back(client.id);
  return all;
}

/// Each client's answer, and the sum of all, are what another engine gives.
inline void expect_same_column_squares(Engine& engine, Engine& alone) {
  for (std::uint32_t column = 0; column < kSquaredColumns; ++column) {
    for (const Reveal reveal : {Reveal::Updates, Reveal::Sums}) {
      const LocalTask task = column_squares(column, reveal);
      const RoundReplies here = alone.local_updates(task, everyone_in(alone));
      const RoundReplies there = engine.local_updates(task, everyone_in(engine));

      ASSERT_EQ(there.replies.size(), here.replies.size());
      for (std::size_t k = 0; k < here.replies.size(); ++k) {
        EXPECT_EQ(there.replies[k].values.size(), 1U);
        EXPECT_EQ(there.replies[k].values, here.replies[k].values);
      }
      EXPECT_TRUE(reveal == Reveal::Updates || there.answered == here.answered);
    }
  }
}

}  // namespace fedrk::test

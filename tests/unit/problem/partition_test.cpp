// SPDX-License-Identifier: Apache-2.0
#include "problem/partition.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "fedrk/error.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

using Counts = std::vector<std::size_t>;

TEST(Partition, SharesRowsEvenlyInFileOrder) {
  EXPECT_EQ(partition_contiguous(97, 7).counts, (Counts{14, 14, 14, 14, 14, 14, 13}));
  EXPECT_EQ(partition_contiguous(4, 4).counts, (Counts{1, 1, 1, 1}));
  EXPECT_EQ(partition_contiguous(4, 2).names, (std::vector<std::string>{"client-1", "client-2"}));
}

TEST(Partition, RefusesClientsWithoutRows) {
  EXPECT_THROW(partition_contiguous(3, 4), InvalidArgument);
  EXPECT_THROW(partition_contiguous(3, 0), InvalidArgument);
}

TEST(Partition, ShufflesByTheSeed) {
  const auto one = partition_shuffled(50, 5, 1), again = partition_shuffled(50, 5, 1),
             two = partition_shuffled(50, 5, 2);
  auto sorted = one.order;
  std::ranges::sort(sorted);

  EXPECT_EQ(one.order, again.order);
  EXPECT_NE(one.order, two.order);
  for (std::size_t i = 0; i < 50; ++i) EXPECT_EQ(sorted[i], i);
}

TEST(Partition, GroupsRowsByLabel) {
  const auto partition = partition_by_label(std::vector<std::string>{"north", "south", "north", "west", "south"});

  EXPECT_EQ(partition.names, (std::vector<std::string>{"north", "south", "west"}));
  EXPECT_EQ(partition.order, (Counts{0, 2, 1, 4, 3}));
  EXPECT_EQ(partition.counts, (Counts{2, 2, 1}));
}

TEST(Partition, MovesEachRowWithItsRightHandSide) {
  for (const double density : {1.0, 0.5}) {
    const auto problem = generate({.rows = 20, .cols = 6, .density = density, .seed = 4});
    const auto whole = test::written_out(problem.system.rows);
    const auto partition = partition_shuffled(20, 3, 9);

    const auto clients = split(copy_of(problem.system), partition);

    std::size_t place = 0;
    for (const LinearSystem& client : clients) {
      const auto rows = test::written_out(client.rows);
      for (std::size_t i = 0; i < rows.size(); ++i, ++place) {
        const std::size_t from = partition.order[place];
        EXPECT_EQ(rows[i], whole[from]);
        EXPECT_EQ(client.rhs[i], problem.system.rhs[from]);
      }
    }
    EXPECT_EQ(place, 20);
  }
}

}  // namespace
}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#include "analysis/observers.hpp"

#include <gtest/gtest.h>

namespace fedrk {
namespace {

TEST(SelectionCounts, CountTheRoundsInWhichAnEntryIsNotZero) {
  SelectionCounts selection;

  selection.on_round({}, std::vector{1.0, 0.0, -2.0});
  selection.on_round({}, std::vector{0.0, 0.0, 3.0});

  EXPECT_EQ(selection.counts(), (std::vector<std::uint64_t>{1, 0, 2}));
  EXPECT_EQ(most_selected(selection.counts()), (std::vector<std::size_t>{2, 0, 1}));
  EXPECT_EQ(most_selected({3, 3, 4}), (std::vector<std::size_t>{2, 0, 1}));
}

}  // namespace
}  // namespace fedrk

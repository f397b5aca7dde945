// SPDX-License-Identifier: Apache-2.0
#include "problem/column_kinds.hpp"

#include <gtest/gtest.h>

#include "fedrk/matrix.hpp"

namespace fedrk {
namespace {

using enum ColumnKind;

TEST(ColumnKinds, TellWhatVariesFromWhatMarksASite) {
  const LinearSystem system{Matrix{{1.0, 0.0, 7.0, 2.0, 0.0}, {1.0, 0.0, 7.0, 3.0, 4.0}}, {1.0, 2.0}};

  EXPECT_EQ(column_kinds(system, 0), (std::vector{Ones, Zero, Constant, Varying, Varying, Varying}));
  EXPECT_EQ(column_kinds(system, 3), (std::vector{Varying, Varying, Varying}));
}

TEST(ColumnKinds, CallNothingConstantAtASiteOfOneRow) {
  EXPECT_EQ(column_kinds({Matrix{{7.0, 0.0}}, {1.0}}, 0), (std::vector{Varying, Zero, Varying}));
}

TEST(ColumnKinds, TellWhetherARightHandSideMarksASite) {
  EXPECT_EQ(column_kinds({Matrix{{7.0}, {8.0}}, {0.0, 0.0}}, 1), (std::vector{Zero}));
  EXPECT_EQ(column_kinds({Matrix{{7.0}, {8.0}}, {0.0, 3.0}}, 1), (std::vector{Varying}));
  EXPECT_EQ(column_kinds({Matrix{{7.0}, {8.0}}, {3.0, 3.0}}, 1), (std::vector{Constant}));
}

}  // namespace
}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#include "base/result.hpp"

#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace fedrk {
namespace {

Result<int> half(int n) {
  if (n % 2 != 0) return Error{std::to_string(n) + " is odd"};
  return n / 2;
}

TEST(Result, HoldsAValueOrAReason) {
  EXPECT_EQ(*half(6), 3);
  EXPECT_FALSE(half(7));
  EXPECT_EQ(half(7).error().message, "7 is odd");
}

TEST(Result, MovesWhatCannotBeCopied) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(4);

  const std::unique_ptr<int> taken = *std::move(result);

  EXPECT_EQ(*taken, 4);
}

TEST(Result, OfNothingIsSuccessUnlessItHoldsAReason) {
  EXPECT_TRUE(static_cast<bool>(Result<void>()));
  EXPECT_EQ(Result<void>(Error{"why"}).error().message, "why");
}

}  // namespace
}  // namespace fedrk

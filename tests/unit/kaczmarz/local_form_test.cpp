// SPDX-License-Identifier: Apache-2.0
#include "kaczmarz/gram_steps.hpp"

#include <gtest/gtest.h>

namespace fedrk {
namespace {

constexpr std::size_t kPlenty = std::size_t{1} << 40;

TEST(LocalForm, IsGramForFewRowsAndManySteps) {
  EXPECT_EQ(choose_form({128, 1024.0}, 1000, kPlenty), LocalForm::Gram);
  EXPECT_EQ(choose_form({128, 1024.0}, 5000, kPlenty), LocalForm::Gram);
  EXPECT_EQ(choose_form({512, 1024.0}, 5000, kPlenty), LocalForm::Gram);
}

TEST(LocalForm, IsDirectForFewSteps) {
  EXPECT_EQ(choose_form({128, 1024.0}, 1, kPlenty), LocalForm::Direct);
  EXPECT_EQ(choose_form({128, 1024.0}, 20, kPlenty), LocalForm::Direct);
  EXPECT_EQ(choose_form({16384, 20480.0}, 50, kPlenty), LocalForm::Direct);
}

TEST(LocalForm, IsDirectWhereRowsAreShorterThanMany) {
  EXPECT_EQ(choose_form({5000, 100.0}, 100000, kPlenty), LocalForm::Direct);
  EXPECT_EQ(choose_form({5000, 20.0, true}, 100000, kPlenty), LocalForm::Direct);
}

TEST(LocalForm, KeepsWithinTheMemory) {
  EXPECT_EQ(choose_form({128, 1024.0}, 5000, 8 * 128 * 128), LocalForm::Gram);
  EXPECT_EQ(choose_form({128, 1024.0}, 5000, 8 * 128 * 128 - 1), LocalForm::Direct);
}

TEST(LocalForm, OfAnEmptyClientIsDirect) { EXPECT_EQ(choose_form({0, 0.0}, 10, kPlenty), LocalForm::Direct); }

}  // namespace
}  // namespace fedrk

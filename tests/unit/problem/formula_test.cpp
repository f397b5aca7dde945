// SPDX-License-Identifier: Apache-2.0
#include "problem/formula.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fedrk/error.hpp"

namespace fedrk::api {
namespace {

using Names = std::vector<std::string>;

TEST(Formula, ExplainsAColumnByAllOthers) {
  const Formula formula = parse_formula("lpsa ~ .");

  EXPECT_EQ(formula.response, "lpsa");
  EXPECT_TRUE(formula.all_others);
  EXPECT_TRUE(formula.intercept);
  EXPECT_EQ(formula.columns, Names{});
}

TEST(Formula, ListsColumnsInItsOwnOrderAndEachOnce) {
  const Formula formula = parse_formula("y~b+a + b");

  EXPECT_FALSE(formula.all_others);
  EXPECT_EQ(formula.columns, (Names{"b", "a"}));
}

TEST(Formula, LeavesColumnsOut) {
  EXPECT_EQ(parse_formula("y ~ . - a - b").left_out, (Names{"a", "b"}));
  EXPECT_EQ(parse_formula("y ~ a + b - a").columns, (Names{"b"}));
}

TEST(Formula, HasAnInterceptUnlessToldOtherwise) {
  for (const char* without : {"y ~ . - 1", "y ~ a + 0", "y ~ 0 + a", "y ~ -1 + a"}) {
    EXPECT_FALSE(parse_formula(without).intercept) << without;
  }
  for (const char* with : {"y ~ a", "y ~ 1 + a", "y ~ a + 0 + 1"}) EXPECT_TRUE(parse_formula(with).intercept) << with;
}

TEST(Formula, TakesAnyNameInBackquotes) {
  const Formula formula = parse_formula("`body weight` ~ `x:y` + größe.2 + `1`");

  EXPECT_EQ(formula.response, "body weight");
  EXPECT_EQ(formula.columns, (Names{"x:y", "größe.2", "1"}));
  EXPECT_TRUE(formula.intercept);
}

TEST(Formula, RefusesAllElseAndTellsWhatIsSupported) {
  for (const char* text :
       {"",        "y",          "~ a",     "y ~",     "y ~ a:b",  "y ~ a * b", "y ~ log(a)", "y ~ a + (1 | b)",
        "y ~ a^2", "log(y) ~ a", "y ~ a b", "y ~ a +", "y ~ 2",    "y ~ 1",     "y ~ a - a",  "y ~ a - b",
        "y ~ y",   "y ~ a - .",  "y ~ `a",  "y ~ ``",  "y ~ a ~ b"}) {
    try {
      (void)parse_formula(text);
      ADD_FAILURE() << text;
    } catch (const InvalidArgument& error) {
      EXPECT_NE(std::string(error.what()).find("supported are y ~ . for all other columns"), std::string::npos)
          << error.what();
    }
  }
}

TEST(Formula, IsReadToItsLastCharacterWhateverThatIs) {
  const std::string_view text("y ~ a\0 + b", 10);

  try {
    (void)parse_formula(text);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("'?' at character 6 is not supported"), std::string::npos) << error.what();
  }
}

TEST(Formula, NamesThePlaceOfWhatItDoesNotKnow) {
  try {
    (void)parse_formula("y ~ a:b");
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("formula \"y ~ a:b\": ':' at character 6 is not supported"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace fedrk::api

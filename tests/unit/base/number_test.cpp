// SPDX-License-Identifier: Apache-2.0
#include "base/number.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/doubles.hpp"

namespace fedrk::io {
namespace {

TEST(Number, IsReadWithAPlusSignAndBlanksAround) {
  EXPECT_EQ(*parse_number("1.5"), 1.5);
  EXPECT_EQ(*parse_number(" \t+2e3 "), 2000.0);
  EXPECT_EQ(*parse_number("-.5"), -0.5);
  EXPECT_EQ(*parse_number("5."), 5.0);
  EXPECT_EQ(*parse_whole(" +17 "), 17U);
  EXPECT_EQ(*parse_whole("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
}

TEST(Number, TooSmallForADoubleIsZeroAndSubnormalsAreKept) {
  EXPECT_EQ(*parse_number("1e-400"), 0.0);
  EXPECT_EQ(*parse_number("+1e-99999999999999999999"), 0.0);
  EXPECT_EQ(*parse_number("0." + std::string(400, '0') + "1"), 0.0);
  EXPECT_TRUE(test::same_bits(*parse_number("-1e-400"), -0.0));
  EXPECT_EQ(*parse_number("4.9e-324"), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(*parse_number("0e999"), 0.0);
}

TEST(Number, SaysWhatIsWrongWithText) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"abc", "expected a number, found text"},
      {"", "expected a number, found nothing"},
      {"  ", "expected a number, found nothing"},
      {"1.5x", "expected a number, found text"},
      {"1 2", "expected a number, found text"},
      {"1e", "expected a number, found text"},
      {"0x10", "expected a number, found text"},
      {"+-1", "expected a number, found text"},
      {"+", "expected a number, found text"},
      {"1,5", "expected a number, found text"},
      {"nan", "expected a finite number, found nan"},
      {"-inf", "expected a finite number, found -inf"},
      {"Infinity", "expected a finite number, found inf"},
      {"1e999", "the number is too large for a double"},
      {"-1e99999999999999999999", "the number is too large for a double"},
      {"1" + std::string(400, '0'), "the number is too large for a double"},
      {std::string("a\0b\n", 4), "expected a number, found text"},
      {"\xFFz", "expected a number, found text"},
      {"größe", "expected a number, found text"},
      {std::string(50, 'x'), "expected a number, found text"},
  };
  for (const auto& [text, message] : cases) {
    const auto number = parse_number(text);
    ASSERT_FALSE(number) << text;
    EXPECT_EQ(number.error().message, message);
  }
}

TEST(Number, SaysWhatIsWrongWithAWholeNumber) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"1.5", "expected a whole number, found another number"},
      {"-3", "expected a whole number, found another number"},
      {"", "expected a whole number, found nothing"},
      {"1e3", "expected a whole number, found another number"},
      {"18446744073709551616", "the number is too large"},
  };
  for (const auto& [text, message] : cases) {
    const auto number = parse_whole(text);
    ASSERT_FALSE(number) << text;
    EXPECT_EQ(number.error().message, message);
  }
}

TEST(Number, IsWrittenShortAndReadsBackToTheSameBits) {
  EXPECT_EQ(to_text(0.1), "0.1");
  EXPECT_EQ(to_text(3.0), "3");
  for (const double value : test::any_doubles(5000, 7)) {
    const auto again = parse_number(to_text(value));

    ASSERT_TRUE(again);
    EXPECT_TRUE(test::same_bits(*again, value)) << to_text(value);
  }
}

}  // namespace
}  // namespace fedrk::io

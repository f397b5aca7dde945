// SPDX-License-Identifier: Apache-2.0
#include "fedrk/federated/private_slack.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "fedrk/base/error.hpp"

namespace fedrk {
namespace {

using Numbers = std::vector<double>;

TEST(SlackNews, TravelAsPlainNumbers) {
  const SlackNews news{true, {{3, 0.5}, {4294967295U, -2.0}}};

  EXPECT_EQ(news.packed(), (Numbers{1.0, 3.0, 0.5, 4294967295.0, -2.0}));
  const SlackNews again = SlackNews::unpacked(news.packed());
  EXPECT_TRUE(again.known);
  ASSERT_EQ(again.factors.size(), 2);
  EXPECT_EQ(again.factors[1].round, 4294967295U);
  EXPECT_EQ(again.factors[1].total, -2.0);
  EXPECT_FALSE(SlackNews::unpacked(SlackNews{}.packed()).known);
}

TEST(SlackNews, ThatMakeNoSenseAreRefused) {
  for (const Numbers& numbers :
       {Numbers{}, Numbers{1.0, 3.0}, Numbers{1.0, -1.0, 0.5}, Numbers{1.0, 0.5, 0.5}, Numbers{1.0, 4294967296.0, 0.5},
        Numbers{1.0, std::nan(""), 0.5}, Numbers{1.0, 3.0, std::nan("")}, Numbers{1.0, 3.0, HUGE_VAL}}) {
    EXPECT_THROW((void)SlackNews::unpacked(numbers), InvalidArgument);
  }
}

TEST(PrivateSlack, IsWhatTheServerWentInEachDirection) {
  PrivateSlack slack(2);
  EXPECT_EQ(slack.coefficients(), (Numbers{0.0, 0.0}));
  slack.keep(0, {1.0, 2.0});
  slack.keep(1, {0.0, 1.0});
  EXPECT_EQ(slack.coefficients(), (Numbers{0.0, 0.0})) << "the server has not gone anywhere yet";

  slack.learn({true, {{0, 2.0}, {1, -3.0}}}, std::vector<std::uint32_t>{0, 1});

  EXPECT_EQ(slack.coefficients(), (Numbers{2.0, 1.0}));
  EXPECT_EQ(slack.products(Numbers{1.0, 1.0}, std::vector<std::uint32_t>{0, 1, 7}), (Numbers{3.0, 1.0, 0.0}));
}

TEST(PrivateSlack, GoesOnFromItsStateAsIfNothingHadHappened) {
  PrivateSlack slack(2);
  slack.keep(0, {1.0, 2.0});
  slack.keep(1, {0.0, 1.0});
  slack.learn({true, {{0, 2.0}, {1, -3.0}}}, std::vector<std::uint32_t>{1});
  slack.keep(5, {7.0, 0.1});

  PrivateSlack again(2);
  again.keep(9, {4.0, 4.0});
  again.restore(slack.state());

  EXPECT_EQ(again.state(), slack.state());
  for (PrivateSlack* one : {&slack, &again}) one->learn({true, {{1, 0.3}, {5, 0.7}}}, std::vector<std::uint32_t>{5});
  EXPECT_EQ(again.coefficients(), slack.coefficients());
  EXPECT_EQ(again.products(Numbers{1.0, 1.0}, std::vector<std::uint32_t>{1, 5, 9}), (Numbers{0.0, 7.1, 0.0}));
}

TEST(PrivateSlack, RefusesAStateOfOtherRows) {
  PrivateSlack slack(2);
  for (const Numbers& state : {Numbers{}, Numbers{1.0}, Numbers{1.0, 2.0, 3.0}, Numbers{1.0, 2.0, 0.5, 1.0, 1.0, 1.0},
                               Numbers{1.0, 2.0, std::nan(""), 1.0, 1.0, 1.0}}) {
    EXPECT_THROW(slack.restore(state), InvalidArgument);
  }
  EXPECT_EQ(slack.coefficients(), (Numbers{0.0, 0.0}));
}

TEST(PrivateSlack, ToldTwiceChangesNothing) {
  PrivateSlack slack(2);
  slack.keep(0, {1.0, 2.0});
  slack.keep(1, {0.0, 1.0});
  const SlackNews news{true, {{0, 2.0}, {1, -3.0}}};
  const std::vector<std::uint32_t> stored{1};  // round 0 is named for the last time: it settles
  slack.learn(news, stored);
  const auto once = slack.coefficients();
  slack.learn(news, stored);

  EXPECT_EQ(once, (Numbers{2.0, 1.0}));
  EXPECT_EQ(slack.coefficients(), once);
}

TEST(PrivateSlack, KeepsTheLastTotalOfARoundThatIsStored) {
  PrivateSlack slack(1);
  slack.keep(0, {1.0});
  slack.learn({true, {{0, 2.0}}}, std::vector<std::uint32_t>{0});
  slack.learn({true, {{0, 5.0}}}, std::vector<std::uint32_t>{0});
  EXPECT_EQ(slack.coefficients(), Numbers{5.0}) << "a total, not a further step";
  slack.learn({true, {{0, 6.0}}}, {});
  EXPECT_EQ(slack.coefficients(), Numbers{6.0});
  slack.learn({true, {}}, {});
  EXPECT_EQ(slack.coefficients(), Numbers{6.0}) << "what is settled stays";
}

// The answer of round 1 was lost: the server names the rounds that it has used, and 1 is not among them.
TEST(PrivateSlack, ForgetsARoundThatTheServerHasNotUsed) {
  PrivateSlack slack(1);
  slack.keep(0, {1.0});
  slack.keep(1, {10.0});
  slack.learn({true, {{0, 2.0}}}, std::vector<std::uint32_t>{0, 1});

  EXPECT_EQ(slack.coefficients(), Numbers{2.0});
  EXPECT_EQ(slack.products(Numbers{1.0}, std::vector<std::uint32_t>{0, 1}), (Numbers{1.0, 0.0}))
      << "this client is no part of the sum of round 1, though others may be";
}

TEST(PrivateSlack, BeginsAnewForAServerThatDoesNotKnowIt) {
  PrivateSlack slack(1);
  slack.keep(0, {1.0});
  slack.learn({true, {{0, 2.0}}}, {});
  slack.keep(1, {1.0});
  slack.learn({false, {}}, std::vector<std::uint32_t>{1});

  EXPECT_EQ(slack.coefficients(), Numbers{0.0});
  EXPECT_EQ(slack.products(Numbers{1.0}, std::vector<std::uint32_t>{0, 1}), (Numbers{0.0, 0.0}));
}

TEST(PrivateSlack, AskedAgainReplacesWhatItKeptOfTheRound) {
  PrivateSlack slack(1);
  slack.keep(4, {1.0});
  slack.keep(4, {3.0});
  slack.learn({true, {{4, 2.0}}}, std::vector<std::uint32_t>{4});
  EXPECT_EQ(slack.coefficients(), Numbers{6.0});
}

}  // namespace
}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#include "api/sums_attack.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace fedrk::api {
namespace {

constexpr std::size_t kUnknowns = 100;
const network::DisclosureRules kRules{.min_sum = 3, .min_rows = 10, .max_share = 0.2};

std::vector<ClientSummary> roster_of(std::vector<std::size_t> rows) {
  std::vector<ClientSummary> roster;
  for (const std::size_t count : rows) {
    const ClientId id{static_cast<std::uint32_t>(roster.size())};
    roster.push_back({.id = id, .name = "site-" + std::to_string(id.value), .rows = count});
  }
  return roster;
}

Observation sum_over(std::vector<ClientId> clients, LocalWork work = Gradient{}) {
  return {RoundIndex{0},
          work,
          std::vector<double>(kUnknowns, 0.0),
          std::move(clients),
          {ClientId{}, AlignedVector(kUnknowns, 1.0)}};
}

const std::vector<ClientId> kThree{ClientId{0}, ClientId{1}, ClientId{2}};

std::size_t answered(std::size_t asked, const Observation& sum, const std::vector<std::size_t>& rows) {
  return within_rules(Transcript(asked, sum), roster_of(rows), kUnknowns, kRules).size();
}

TEST(WithinRules, AFifthOfTheRowsAreShownAsVectors) {
  EXPECT_EQ(answered(20, sum_over(kThree), {15, 15, 15}), 9);
  EXPECT_EQ(answered(20, sum_over(kThree, CutSteps{}), {15, 15, 15}), 9);
}

// With 101 columns, the right-hand side with them, a fifth of 505 rows is never used up; of steps it is not asked at
// clients that have more rows than unknowns.
TEST(WithinRules, TallTablesAreNeverUsedUp) {
  EXPECT_EQ(answered(200, sum_over(kThree), {170, 170, 165}), 200);
  EXPECT_EQ(answered(200, sum_over(kThree), {170, 170, 160}), 100);
  EXPECT_EQ(answered(200, sum_over(kThree, CutSteps{}), {170, 170, 165}), 200);
}

// Steps of a wide client show directions of the rows of wide clients.
TEST(WithinRules, WideClientsCountTheirOwnRowsAlone) {
  EXPECT_EQ(answered(20, sum_over(kThree, CutSteps{}), {15, 15, 1000}), 6);
}

TEST(WithinRules, CrossProductsShowAllColumnsOrNone) {
  Observation products = sum_over(kThree, CrossProducts{});
  products.reply.values.assign(6, 1.0);  // of two columns and the right-hand side

  EXPECT_EQ(answered(2, products, {10, 10, 10}), 2);  // the same again shows nothing new
  products.reply.values.assign(36, 1.0);              // of seven
  EXPECT_EQ(answered(2, products, {10, 10, 10}), 0);
}

TEST(WithinRules, SmallSumsAndSmallTablesAreRefused) {
  EXPECT_EQ(answered(1, sum_over({ClientId{0}, ClientId{1}}), {50, 50, 50}), 0);
  EXPECT_EQ(answered(1, sum_over(kThree), {50, 50, 9}), 0);
}

}  // namespace
}  // namespace fedrk::api

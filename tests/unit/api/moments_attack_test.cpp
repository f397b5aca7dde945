// SPDX-License-Identifier: Apache-2.0
#include "api/moments_attack.hpp"

#include <initializer_list>
#include <string>

#include <gtest/gtest.h>

namespace fedrk::api {
namespace {

// Of six clients with 20 rows each, asked for sums over these in turn.
std::size_t kept(std::initializer_list<std::vector<std::uint32_t>> sets, std::size_t rows_of_last = 20) {
  std::vector<ClientSummary> roster;
  for (std::uint32_t i = 0; i < 6; ++i)
    roster.push_back({.id = ClientId{i}, .name = std::to_string(i), .rows = i == 5 ? rows_of_last : 20});
  Transcript asked;
  for (const auto& set : sets) {
    std::vector<ClientId> clients;
    for (const std::uint32_t i : set) clients.push_back(ClientId{i});
    asked.push_back({RoundIndex{0}, CrossProducts{}, {}, std::move(clients), {}});
  }
  return in_kept_company(asked, roster, {}).size();
}

TEST(InKeptCompany, TheSameSumsAreAnsweredAsOftenAsOneLikes) {
  EXPECT_EQ(kept({{0, 1, 2}, {3, 4, 5}, {0, 1, 2, 3, 4, 5}, {0, 1, 2}, {3, 4, 5}}), 5);
}

TEST(InKeptCompany, ARunWithoutOneClientIsRefused) {
  EXPECT_EQ(kept({{0, 1, 2, 3, 4, 5}, {0, 1, 2, 3, 4}}), 1);
  EXPECT_EQ(kept({{0, 1, 2, 3, 4, 5}, {0, 1, 2}}), 2);  // three against three
}

TEST(InKeptCompany, GroupsDrawnAfreshAreRefused) { EXPECT_EQ(kept({{0, 1, 2}, {1, 2, 3}, {0, 1, 5}, {0, 1, 2}}), 2); }

TEST(InKeptCompany, SmallSumsAndTablesAreRefused) {
  EXPECT_EQ(kept({{0, 1}}), 0);
  EXPECT_EQ(kept({{3, 4, 5}}, 9), 0);
}

}  // namespace
}  // namespace fedrk::api

// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/privacy_ledger.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/hash.hpp"
#include "support/temp_folder.hpp"

namespace fedrk::store {
namespace {

namespace fs = std::filesystem;

ClientStore store_in(const fs::path& folder) {
  auto store = ClientStore::open(folder);
  if (!store) throw std::runtime_error(store.error().message);
  return *std::move(store);
}

TEST(PrivacyLedger, RefusesToSpendMoreThanTheBudgetAlsoAfterARestartAndInAnotherRun) {
  const test::TempFolder folder;
  {
    ClientStore store = store_in(folder / "state");
    EXPECT_TRUE(*store.spend({"a", 0, 0.25}, 1.0));
    EXPECT_TRUE(*store.spend({"a", 1, 0.25}, 1.0));
  }
  {
    ClientStore store = store_in(folder / "state");
    EXPECT_TRUE(*store.spend({"b", 0, 0.375}, 1.0));
  }
  ClientStore store = store_in(folder / "state");

  const auto refused = store.spend({"b", 1, 0.25}, 1.0);

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "this answer would tell more of the rows than their owner allows: it costs rho = 0.25, and of 1 there is "
            "0.125 left, after 0.875 in run a (0.5), run b (0.375)");
  EXPECT_EQ(*store.spent(), 0.875);
  EXPECT_TRUE(*store.spend({"b", 1, 0.125}, 1.0));  // what is left may be spent
  EXPECT_FALSE(store.spend({"c", 0, 1e-6}, 1.0));
}

TEST(PrivacyLedger, ChargesATaskOnceAndSaysThatItDidSoBefore) {
  const test::TempFolder folder;
  EXPECT_TRUE(*store_in(folder / "state").spend({"a", 7, 0.5}, 0.5));
  ClientStore store = store_in(folder / "state");

  const auto again = store.spend({"a", 7, 0.5}, 0.5);

  ASSERT_TRUE(again) << again.error().message;
  EXPECT_FALSE(*again);
  EXPECT_EQ(*store.spent(), 0.5);
}

TEST(PrivacyLedger, RefusesATaskThatComesBackWithLessNoise) {
  const test::TempFolder folder;
  ClientStore store = store_in(folder / "state");
  ASSERT_TRUE(store.spend({"a", 7, 0.25}, 10.0));

  const auto again = store.spend({"a", 7, 0.5}, 10.0);

  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().message,
            "task 7 of this run was answered for rho = 0.25 and is now asked for with less noise, for 0.5");
}

TEST(PrivacyLedger, SpendsABudgetInEqualPartsToTheLast) {
  const test::TempFolder folder;
  ClientStore store = store_in(folder / "state");
  const double budget = 0.0208;
  for (std::uint64_t task = 0; task < 7; ++task) {
    EXPECT_TRUE(store.spend({"a", task, budget / 7.0}, budget)) << task;
  }
  EXPECT_FALSE(store.spend({"a", 7, budget / 7.0}, budget));
}

TEST(PrivacyLedger, RefusesAnAnswerWithoutNoiseWhateverTheBudget) {
  const test::TempFolder folder;
  ClientStore store = store_in(folder / "state");
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(store.spend({"a", 0, kInfinite}, kInfinite));
  EXPECT_FALSE(store.spend({"a", 0, -1.0}, 1.0));
  EXPECT_EQ(*store.spent(), 0.0);
}

TEST(PrivacyLedger, IsAddedToAFileThatIsOlderThanIt) {
  const test::TempFolder folder;
  fs::create_directory(folder / "state");
  Database::create(folder / "state/client.db", {0x66656463, 1, "client.db"},
                   "CREATE TABLE slack (run TEXT PRIMARY KEY, task INTEGER NOT NULL, state BLOB NOT NULL);",
                   [](Database&) {});
  {
    ClientStore store = store_in(folder / "state");
    EXPECT_TRUE(*store.spend({"a", 0, 0.5}, 1.0));
  }
  EXPECT_EQ(*store_in(folder / "state").spent(), 0.5);
}

// ---- Tables.

using Rows = std::vector<std::map<std::string, int>>;

/// All rows have the columns of the first.
RecordSource table_with(const Rows& rows) {
  RecordSource source;
  for (const auto& [name, value] : rows.front()) source.columns.push_back(name);
  source.hashes = [rows](std::uint64_t salt, std::span<const std::string> columns) {
    std::vector<std::uint64_t> hashes;
    for (const auto& row : rows) {
      Hash hash;
      hash.add(salt);
      for (const std::string& name : columns) hash.add(static_cast<std::uint64_t>(row.at(name)));
      hashes.push_back(hash.value());
    }
    std::ranges::sort(hashes);
    return Result(hashes);
  };
  return source;
}

RecordSource people(const std::vector<int>& heights) {
  Rows rows;
  for (const int height : heights) rows.push_back({{"height", height}});
  return table_with(rows);
}

TEST(PrivacyLedger, ChargesATableWithAllThatItsRecordsHaveSpent) {
  const test::TempFolder folder;
  ClientStore store = store_in(folder / "state");
  const std::uint64_t first = *store.table_of("a", people({170, 180, 190}));
  EXPECT_TRUE(*store.spend({"a", 0, 0.5, first}, 1.0));

  const std::uint64_t appended = *store.table_of("b", people({170, 180, 190, 200}));
  EXPECT_EQ(*store.spent(appended), 0.5);
  EXPECT_TRUE(*store.spend({"b", 0, 0.25, appended}, 1.0));
  const std::uint64_t one_is_left = *store.table_of("c", people({160, 200}));
  EXPECT_EQ(*store.spent(one_is_left), 0.25) << "of the record that was added later";
  EXPECT_EQ(*store.spent(first), 0.75);
  EXPECT_EQ(*store.spent_elsewhere("b", first), 0.5);

  const auto refused = store.spend({"b", 1, 0.5, appended}, 1.0);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("there is 0.25 left, after 0.75 in run a (0.5), run b (0.25)"),
            std::string::npos)
      << refused.error().message;
  EXPECT_TRUE(*store.spend({"c", 0, 0.75, one_is_left}, 1.0));
}

TEST(PrivacyLedger, BeginsAnewForATableWithNoneOfTheRecords) {
  const test::TempFolder folder;
  ClientStore store = store_in(folder / "state");
  EXPECT_TRUE(*store.spend({"a", 0, 1.0, *store.table_of("a", people({170, 180}))}, 1.0));

  const std::uint64_t others = *store.table_of("b", people({171, 181}));

  EXPECT_EQ(*store.spent(others), 0.0);
  EXPECT_TRUE(*store.spend({"b", 0, 1.0, others}, 1.0));
  EXPECT_FALSE(store.spend({"b", 1, 0.1, others}, 1.0));
  EXPECT_EQ(*store.spent(), 2.0);
}

TEST(PrivacyLedger, KnowsATableAgainInAnyOrderAndInAnotherProcess) {
  const test::TempFolder folder;
  std::uint64_t first = 0;
  {
    ClientStore store = store_in(folder / "state");
    first = *store.table_of("a", people({170, 180}));
    EXPECT_TRUE(*store.spend({"a", 0, 0.5, first}, 1.0));
  }
  ClientStore store = store_in(folder / "state"), beside = store_in(folder / "state");
  EXPECT_EQ(*store.table_of("a", people({180, 170})), first);
  EXPECT_EQ(*beside.table_of("b", people({170, 180})), first);
  EXPECT_EQ(*beside.spent(*store.table_of("c", people({180, 185}))), 0.5);
}

TEST(PrivacyLedger, ChargesBothTablesOfARunThatChangedOnItsWay) {
  const test::TempFolder folder;
  ClientStore store = store_in(folder / "state");
  const std::uint64_t first = *store.table_of("a", people({170}));
  EXPECT_TRUE(*store.spend({"a", 0, 0.5, first}, 1.0));
  const std::uint64_t second = *store.table_of("a", people({180}));
  EXPECT_TRUE(*store.spend({"a", 1, 0.25, second}, 1.0));
  EXPECT_EQ(*store.spent(first), 0.75);
  EXPECT_EQ(*store.spent(second), 0.75);
}

TEST(PrivacyLedger, KnowsRecordsAgainWhereColumnsWereAdded) {
  const test::TempFolder folder;
  ClientStore store = store_in(folder / "state");
  EXPECT_TRUE(*store.spend({"a", 0, 0.5, *store.table_of("a", people({170, 180}))}, 1.0));

  const RecordSource wider = table_with({{{"height", 180}, {"weight", 70}}}),
                     strangers = table_with({{{"height", 175}, {"weight", 70}}});

  EXPECT_EQ(*store.spent(*store.table_of("b", wider)), 0.5);
  EXPECT_EQ(*store.spent(*store.table_of("c", strangers)), 0.0);
}

TEST(PrivacyLedger, TakesATableForTheSameWhereItsRecordsCannotBeCompared) {
  const test::TempFolder folder;
  ClientStore store = store_in(folder / "state");
  const RecordSource wide = table_with({{{"height", 170}, {"weight", 70}}});
  EXPECT_TRUE(*store.spend({"a", 0, 0.5, *store.table_of("a", wide)}, 1.0));

  EXPECT_EQ(*store.spent(*store.table_of("b", people({199}))), 0.5) << "a column is gone";
  EXPECT_EQ(*store.spent(*store.table_of("c", table_with({{{"price", 170}}}))), 0.0) << "all columns are others";
}

TEST(PrivacyLedger, CountsRunsOfUnknownTablesForAll) {
  const test::TempFolder folder;
  ClientStore store = store_in(folder / "state");
  EXPECT_TRUE(*store.spend({"before", 0, 0.5}, 1.0));  // as an earlier version wrote it
  EXPECT_EQ(*store.spent(*store.table_of("a", people({170}))), 0.5);
}

}  // namespace
}  // namespace fedrk::store

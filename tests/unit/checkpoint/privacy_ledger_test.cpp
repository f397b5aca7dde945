// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/privacy_ledger.hpp"

#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace fedrk::store

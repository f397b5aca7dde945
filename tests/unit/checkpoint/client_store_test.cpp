// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/client_store.hpp"

#include <gtest/gtest.h>

#include "support/damage.hpp"
#include "support/temp_folder.hpp"

namespace fedrk::store {
namespace {

namespace fs = std::filesystem;
using Numbers = std::vector<double>;

ClientStore opened(const fs::path& folder) {
  auto store = ClientStore::open(folder);
  if (!store) throw std::runtime_error(store.error().message);
  return *std::move(store);
}

TEST(ClientStore, DrawsItsSeedOnceAndKeepsItToItself) {
  const test::TempFolder folder;
  const std::uint64_t seed = *opened(folder / "state").secret_seed();

  EXPECT_EQ(*opened(folder / "state").secret_seed(), seed);
  EXPECT_NE(*opened(folder / "other").secret_seed(), seed);
  EXPECT_EQ(fs::status(folder / "state/secret").permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(fs::status(folder / "state/client.db").permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST(ClientStore, RefusesASeedThatOthersCanReadOrThatIsNone) {
  const test::TempFolder folder;
  ClientStore store = opened(folder / "state");
  ASSERT_TRUE(store.secret_seed());
  fs::permissions(folder / "state/secret", fs::perms::group_read, fs::perm_options::add);
  EXPECT_EQ(folder.local(store.secret_seed().error().message),
            "state/secret can be read by others, who could then repeat this client's draws; chmod 600 it");

  folder.write("state/secret", "12\n");
  fs::permissions(folder / "state/secret", fs::perms::owner_read);
  EXPECT_EQ(folder.local(store.secret_seed().error().message),
            "state/secret does not hold a seed as it was written; take it away to have a new one drawn");
}

TEST(ClientStore, SaysWhatIsWrongWithItsFile) {
  const test::TempFolder folder;
  fs::create_directory(folder / "state");
  folder.write("state/client.db", std::string(4096, 'x'));

  EXPECT_EQ(folder.local(ClientStore::open(folder / "state").error().message),
            "state/client.db is not a file that fedrk keeps a run in");
}

// The seed, and what is left of a budget of 1.
Result<std::pair<std::uint64_t, std::vector<bool>>> answers_from(const fs::path& state) {
  auto store = ClientStore::open(state);
  if (!store) return store.error();
  const auto seed = store->secret_seed();
  if (!seed) return seed.error();
  std::vector<bool> charged;
  for (const std::uint64_t task : {0U, 1U, 2U, 3U}) {
    const auto spent = store->spend({"a", task, 0.25}, 1.0);
    charged.push_back(spent && *spent);
  }
  const auto spent = store->spent();
  if (!spent) return spent.error();
  charged.push_back(*spent == 0.875);
  return std::pair(*seed, charged);
}

TEST(ClientStore, GivesTheSameAnswersOrNoneWhereAByteOfItsFilesFlipped) {
  const test::TempFolder closed, killed;
  {
    ClientStore store = opened(closed / "state");
    ASSERT_TRUE(store.secret_seed());
    for (const std::uint64_t task : {0U, 2U}) ASSERT_TRUE(store.spend({"a", task, 0.25}, 1.0));
    ASSERT_TRUE(store.spend({"b", 0, 0.125}, 1.0));
    fs::copy(closed.path(), killed.path(), fs::copy_options::recursive);
  }
  for (const test::TempFolder* original : {&closed, &killed}) {
    test::Damage damage(original->path(), 3), cuts(original->path(), 4);
    const auto before = answers_from(test::Damage(original->path(), 1).whole() / "state");
    ASSERT_TRUE(before) << before.error().message;
    EXPECT_EQ(before->second, (std::vector<bool>{false, true, false, false, true}));
    int refusals = 0;
    for (int trial = 0; trial < 180; ++trial) {
      const fs::path state = (trial % 4 == 0 ? cuts.cut() : damage.flipped()) / "state";
      const std::string story = trial % 4 == 0 ? cuts.story : damage.story;
      const auto after = answers_from(state);
      if (after) {
        EXPECT_EQ(*after, *before) << story;
      } else {
        ++refusals;
        const std::string& words = after.error().message;
        EXPECT_TRUE(words.find("client.") != std::string::npos || words.find("secret") != std::string::npos)
            << story << ": " << words;
      }
    }
    EXPECT_GT(refusals, 20);
  }
}

TEST(ClientStore, IsNotOpenedWhereAnOlderLedgerWasPutBack) {
  const test::TempFolder folder;
  EXPECT_TRUE(*opened(folder / "state").spend({"a", 0, 0.25}, 1.0));
  fs::copy_file(folder / "state/client.db", folder / "backup");
  EXPECT_TRUE(*opened(folder / "state").spend({"a", 1, 0.25}, 1.0));

  fs::rename(folder / "backup", folder / "state/client.db");
  const auto older = ClientStore::open(folder / "state");

  ASSERT_FALSE(older);
  EXPECT_EQ(folder.local(older.error().message),
            "state/client.db is older than what this client last wrote to it (change 1 of 2): it was restored from a "
            "backup, or lost its last pages; its ledger lacks what was spent since. Put the newest copy back; without "
            "one, take it away and lower epsilon in client.toml by what was spent");
}

}  // namespace
}  // namespace fedrk::store

// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/client_store.hpp"

#include <gtest/gtest.h>

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
  ClientStore store = opened(folder.path());
  ASSERT_TRUE(store.secret_seed());
  fs::permissions(folder / "secret", fs::perms::group_read, fs::perm_options::add);
  EXPECT_EQ(folder.local(store.secret_seed().error().message),
            "secret can be read by others, who could then repeat this client's draws; chmod 600 it");

  folder.write("secret", "12\n");
  fs::permissions(folder / "secret", fs::perms::owner_read);
  EXPECT_EQ(folder.local(store.secret_seed().error().message),
            "secret does not hold the 16 digits of a seed; take it away to have a new one drawn");
}

TEST(ClientStore, SaysWhatIsWrongWithItsFile) {
  const test::TempFolder folder;
  folder.write("client.db", std::string(4096, 'x'));

  EXPECT_EQ(folder.local(ClientStore::open(folder.path()).error().message),
            "client.db is not a file that fedrk keeps a run in");
}

}  // namespace
}  // namespace fedrk::store

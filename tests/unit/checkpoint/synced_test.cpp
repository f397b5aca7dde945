// SPDX-License-Identifier: Apache-2.0
//
// What must be on the disk before anybody counts on it.
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "checkpoint/client_store.hpp"
#include "checkpoint/run_journal.hpp"
#include "support/temp_folder.hpp"

namespace {

int syncs = 0;
std::set<ino_t> synced;  // files and folders

int note(int file, long call) {
  struct stat about {};
  if (::fstat(file, &about) == 0) synced.insert(about.st_ino);
  ++syncs;
  return static_cast<int>(::syscall(call, file));
}

}  // namespace

// In the place of the C library's, for SQLite too.
extern "C" int fsync(int file) { return note(file, SYS_fsync); }
extern "C" int fdatasync(int file) { return note(file, SYS_fdatasync); }

namespace fedrk::store {
namespace {

bool was_synced(const std::filesystem::path& path) {
  struct stat about {};
  return ::stat(path.c_str(), &about) == 0 && synced.contains(about.st_ino);
}

// What a client counts as given must not be asked for anew because the power went.
TEST(Synced, AreAnswersOfAMaskedRunBeforeTheNextQuestion) {
  const test::TempFolder folder;
  RunStore store = *RunStore::create(folder / "run.db", {.id = "id", .roster = {{ClientId{0}, "a"}}});
  RunJournal journal(store, CommitPolicy::Synced);
  for (std::uint32_t round = 0; round < 3; ++round) {
    const int before = syncs;
    journal.add_answer({round, round, 0, 0.0, "bytes"});
    EXPECT_GT(syncs, before);
    const int after = syncs;
    journal.add_round({RoundIndex{round}, {}, {}, {}});
    EXPECT_EQ(syncs, after) << "a round follows from its answers";
  }
  EXPECT_EQ(store.progress()->last_round, 2);
}

TEST(Synced, IsARunBeforeItsClientsHoldTheServerToIt) {
  const test::TempFolder folder;
  RunStore store = *RunStore::create(folder / "run.db", {.id = "id", .roster = {{ClientId{0}, "a"}}});
  ASSERT_TRUE(store.put_document("federation", "bytes"));
  synced.clear();

  ASSERT_TRUE(store.sync());

  EXPECT_TRUE(was_synced(folder / "run.db"));
  EXPECT_TRUE(was_synced(folder.path()));
}

// SQLite syncs what it changes; all else of a new file is older than its first change.
TEST(Synced, IsAClientsLedgerAsItIsMade) {
  const test::TempFolder folder;
  synced.clear();

  ASSERT_TRUE(ClientStore::open(folder / "state"));

  EXPECT_TRUE(was_synced(folder / "state/client.db"));
  EXPECT_TRUE(was_synced(folder / "state"));
}

}  // namespace
}  // namespace fedrk::store

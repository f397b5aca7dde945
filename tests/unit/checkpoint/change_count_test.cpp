// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>

#include <csignal>
#include <filesystem>

#include <gtest/gtest.h>

#include "checkpoint/sealed_database.hpp"
#include "support/temp_folder.hpp"

namespace fedrk::store {
namespace {

TEST(ChangeCount, IsWhatWasWrittenLast) {
  const test::TempFolder folder;
  const ChangeCount count(folder / "state", "masks");
  EXPECT_EQ(count.read(), 0U) << "there is none yet";
  for (const std::uint64_t changes : {1U, 2U, 1000U}) {
    count.write(changes);
    EXPECT_EQ(count.read(), changes);
    EXPECT_EQ(ChangeCount(folder / "state", "masks").read(), changes);
  }
  EXPECT_EQ(folder.count(), 1U);
}

// A client that was killed as it wrote its first count found an empty file, and refused it as damaged.
TEST(ChangeCount, IsThereWholeOrNotAtAll) {
  const test::TempFolder folder;
  const ChangeCount count(folder / "state", "masks");
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit nothing{0, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &nothing);
  EXPECT_THROW(count.write(1), SqliteFailure);
  ::setrlimit(RLIMIT_FSIZE, &before);

  EXPECT_FALSE(std::filesystem::exists(count.path()));
  EXPECT_EQ(count.read(), 0U);
  count.write(2);
  EXPECT_EQ(count.read(), 2U);
}

}  // namespace
}  // namespace fedrk::store

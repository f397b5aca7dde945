// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/run_lock.hpp"

#include <unistd.h>

#include <string>

#include <gtest/gtest.h>

#include "support/temp_folder.hpp"

namespace fedrk::store {
namespace {

TEST(RunLock, IsOneProcessesAtATime) {
  const test::TempFolder folder;
  EXPECT_FALSE(RunLock::holder(folder.path())) << "nobody has been here";
  {
    const auto lock = RunLock::take(folder.path());
    ASSERT_TRUE(lock) << lock.error().message;
    const auto second = RunLock::take(folder.path());

    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().message, folder.path().string() + " is in use by process " + std::to_string(::getpid()));
    EXPECT_EQ(RunLock::holder(folder.path()), ::getpid());
    EXPECT_EQ(folder.read("run.lock"), std::to_string(::getpid()) + "\n");
  }
  EXPECT_FALSE(RunLock::holder(folder.path()));
  EXPECT_TRUE(RunLock::take(folder.path()));
}

TEST(RunLock, SaysWhereItCannotBeTaken) {
  const test::TempFolder folder;

  const auto lock = RunLock::take(folder / "nowhere");

  ASSERT_FALSE(lock);
  EXPECT_EQ(folder.local(lock.error().message), "cannot open nowhere/run.lock: No such file or directory");
}

}  // namespace
}  // namespace fedrk::store

// SPDX-License-Identifier: Apache-2.0
#include "fedrk/engine/thread_pool.hpp"

#include <atomic>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace fedrk {
namespace {

TEST(ThreadPool, DoesEveryPieceOnce) {
  for (const std::size_t threads : {1U, 2U, 5U}) {
    ThreadPool pool(threads);
    for (int call = 0; call < 200; ++call) {
      std::vector<int> done(17, 0);
      pool.for_each(done.size(), [&](std::size_t i) { ++done[i]; });
      for (const int count : done) ASSERT_EQ(count, 1);
    }
    EXPECT_EQ(pool.threads(), threads);
  }
}

TEST(ThreadPool, HasNothingToDoForNothing) {
  ThreadPool pool(2);
  pool.for_each(0, [](std::size_t) { FAIL(); });
}

TEST(ThreadPool, FinishesAndThenThrowsTheFirstFailure) {
  ThreadPool pool(3);
  std::atomic<int> done{0};

  const auto failing = [&](std::size_t i) {
    ++done;
    if (i % 4 == 2) throw std::runtime_error(std::to_string(i));
  };
  try {
    pool.for_each(20, failing);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "2");
  }

  EXPECT_EQ(done, 20);
  pool.for_each(4, [&](std::size_t) { ++done; });  // and is still of use
  EXPECT_EQ(done, 24);
}

}  // namespace
}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#include "round/thread_pool.hpp"

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

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

// Threads look out for work before they sleep: calls that follow at once, calls that find them asleep, and an end in
// either state.
TEST(ThreadPool, ServesThoseWhoComeAtOnceAndThoseWhoComeLate) {
  for (int life = 0; life < 20; ++life) {
    ThreadPool pool(2);
    std::atomic<int> done{0};
    for (int call = 0; call < 50; ++call) {
      pool.for_each(3, [&](std::size_t) { ++done; });
      if (call % 10 == 9) std::this_thread::sleep_for(std::chrono::microseconds(call % 20 == 9 ? 60 : 200));
    }
    if (life % 2 == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
    EXPECT_EQ(done, 150);
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

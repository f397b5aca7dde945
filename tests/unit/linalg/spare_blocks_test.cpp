// SPDX-License-Identifier: Apache-2.0
#include "linalg/huge_pages.hpp"

#include <cstdlib>
#include <thread>

#include <gtest/gtest.h>

namespace fedrk::detail {
namespace {

constexpr std::size_t kBytes = 64;

TEST(SpareBlocks, GiveBackWhatWasFreedLast) {
  SpareBlocks spare(10 * kBytes);
  void* const first = std::malloc(kBytes);
  void* const second = std::malloc(kBytes);
  spare.keep(first, kBytes);
  spare.keep(second, kBytes);

  EXPECT_EQ(spare.take(2 * kBytes), nullptr) << "of just that size";
  EXPECT_EQ(spare.take(kBytes), second);
  EXPECT_EQ(spare.take(kBytes), first);
  EXPECT_EQ(spare.take(kBytes), nullptr);
  EXPECT_EQ(spare.bytes(), 0);
  std::free(first);
  std::free(second);
}

// Whether all of them are freed is seen by the sanitizer.
TEST(SpareBlocks, KeepTheNewestUpToTheirLimit) {
  SpareBlocks spare(3 * kBytes);
  for (int k = 0; k < 5; ++k) spare.keep(std::malloc(kBytes), kBytes);
  void* const newest = std::malloc(2 * kBytes);
  spare.keep(newest, 2 * kBytes);

  EXPECT_EQ(spare.bytes(), 3 * kBytes);
  EXPECT_EQ(spare.take(2 * kBytes), newest);
  EXPECT_EQ(spare.bytes(), kBytes);
  std::free(newest);
}

TEST(SpareBlocks, KeepNothingLargerThanTheirLimit) {
  SpareBlocks spare(kBytes);
  spare.keep(std::malloc(2 * kBytes), 2 * kBytes);
  EXPECT_EQ(spare.bytes(), 0);
}

TEST(SpareBlocks, KeepNotTooManyOfThem) {
  SpareBlocks spare(1000 * kBytes);
  for (int k = 0; k < 100; ++k) spare.keep(std::malloc(kBytes), kBytes);
  EXPECT_LT(spare.bytes(), 100 * kBytes);
  EXPECT_GT(spare.bytes(), 10 * kBytes);
}

TEST(SpareBlocks, AreForManyThreads) {
  SpareBlocks spare(4 * kBytes);
  const auto come_and_go = [&] {
    for (int k = 0; k < 1000; ++k) {
      void* memory = spare.take(kBytes);
      if (memory == nullptr) memory = std::malloc(kBytes);
      *static_cast<int*>(memory) = k;
      spare.keep(memory, kBytes);
    }
  };
  std::thread one(come_and_go), other(come_and_go);
  one.join();
  other.join();
  EXPECT_GE(spare.bytes(), kBytes);
  EXPECT_LE(spare.bytes(), 2 * kBytes);
}

}  // namespace
}  // namespace fedrk::detail

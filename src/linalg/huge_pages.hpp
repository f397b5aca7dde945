// SPDX-License-Identifier: Apache-2.0
#pragma once

// Large pieces of memory: fresh ones, and such as were freed. They lie on huge pages where the system has them: a step
// on a row drawn at random then misses the translation cache once, not once for every 4 KB.

#include <array>
#include <cstddef>
#include <mutex>

namespace fedrk::detail {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kLargeBytes = 2 * kHugePage;  // from here on they pay

std::size_t page_bytes();

/// Advice only: small pages work as well.
void ask_for_huge_pages(void* memory, std::size_t bytes) noexcept;

/// Zeros, which become memory when they are first written. Throws std::bad_alloc.
void* map_zeros(std::size_t bytes);
/// REQUIRES: what `map_zeros(bytes)` gave.
void unmap(void* memory, std::size_t bytes) noexcept;

// Large blocks of memory that were freed and will be wanted again. Replies come and go with every round, as long as x:
// pages that are new from the system are cleared and mapped first, which takes longer than what is computed on them.

class SpareBlocks {
 public:
  /// Keeps at most so many bytes.
  explicit SpareBlocks(std::size_t most) : max_(most) {}
  SpareBlocks(const SpareBlocks&) = delete;
  SpareBlocks& operator=(const SpareBlocks&) = delete;
  ~SpareBlocks();

  /// A block of just that size, the one that was freed last; nullptr where there is none.
  void* take(std::size_t bytes) noexcept;

  /// Instead of std::free. The oldest go where there are too many.
  void keep(void* memory, std::size_t bytes) noexcept;

  /// Of all blocks that are kept.
  std::size_t bytes() const;

 private:
  struct Block {
    void* memory;
    std::size_t bytes;
  };
  void remove(std::size_t k) noexcept;

  std::size_t max_;
  mutable std::mutex mutex_;
  std::array<Block, 32> blocks_{};  // the first `count_`, the oldest first
  std::size_t count_ = 0, bytes_ = 0;
};

}  // namespace fedrk::detail

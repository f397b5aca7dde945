// SPDX-License-Identifier: Apache-2.0
#pragma once

// Large blocks of memory that were freed and will be wanted again. Replies come and go with every round, as long as x:
// pages that are new from the system are cleared and mapped first, which takes longer than what is computed on them.

#include <array>
#include <cstddef>
#include <mutex>

namespace fedrk::detail {

class SpareBlocks {
 public:
  /// Keeps at most so many bytes.
  explicit SpareBlocks(std::size_t most) : most_(most) {}
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

  std::size_t most_;
  mutable std::mutex mutex_;
  std::array<Block, 32> blocks_{};  // the first `count_`, the oldest first
  std::size_t count_ = 0, bytes_ = 0;
};

}  // namespace fedrk::detail

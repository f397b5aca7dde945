// SPDX-License-Identifier: Apache-2.0
#include "linalg/spare_blocks.hpp"

#include <algorithm>
#include <cstdlib>

namespace fedrk::detail {

SpareBlocks::~SpareBlocks() {
  for (std::size_t k = 0; k < count_; ++k) std::free(blocks_[k].memory);
}

void* SpareBlocks::take(std::size_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  for (std::size_t k = count_; k-- > 0;) {
    if (blocks_[k].bytes != bytes) continue;
    void* const memory = blocks_[k].memory;
    remove(k);
    return memory;
  }
  return nullptr;
}

void SpareBlocks::keep(void* memory, std::size_t bytes) noexcept {
  if (bytes > most_) return std::free(memory);
  const std::lock_guard lock(mutex_);
  while (count_ == blocks_.size() || bytes_ + bytes > most_) {
    std::free(blocks_.front().memory);
    remove(0);
  }
  blocks_[count_++] = {memory, bytes};
  bytes_ += bytes;
}

std::size_t SpareBlocks::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

void SpareBlocks::remove(std::size_t k) noexcept {
  bytes_ -= blocks_[k].bytes;
  std::shift_left(blocks_.begin() + static_cast<std::ptrdiff_t>(k),
                  blocks_.begin() + static_cast<std::ptrdiff_t>(count_), 1);
  --count_;
}

}  // namespace fedrk::detail

// SPDX-License-Identifier: Apache-2.0
#include "linalg/huge_pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <new>

namespace fedrk::detail {
namespace {

std::size_t whole_pages(std::size_t bytes) { return (bytes + page_bytes() - 1) / page_bytes() * page_bytes(); }

}  // namespace

std::size_t page_bytes() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

void ask_for_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef MADV_HUGEPAGE
  ::madvise(memory, bytes, MADV_HUGEPAGE);
#endif
}

// A huge page has to start at a multiple of its size: what was reserved before and behind is given back.
void* map_zeros(std::size_t bytes) {
  if (bytes > std::numeric_limits<std::size_t>::max() - 2 * kHugePage) throw std::bad_alloc();
  bytes = whole_pages(bytes);
  const std::size_t reserved = bytes + kHugePage;
  void* const start = ::mmap(nullptr, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) throw std::bad_alloc();
  const std::size_t before = (kHugePage - reinterpret_cast<std::uintptr_t>(start) % kHugePage) % kHugePage;
  char* const first = static_cast<char*>(start) + before;
  if (before > 0) ::munmap(start, before);
  ::munmap(first + bytes, kHugePage - before);
  ask_for_huge_pages(first, bytes);
  return first;
}

void unmap(void* memory, std::size_t bytes) noexcept { ::munmap(memory, whole_pages(bytes)); }

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
  if (bytes > max_) return std::free(memory);
  const std::lock_guard lock(mutex_);
  while (count_ == blocks_.size() || bytes_ + bytes > max_) {
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

// SPDX-License-Identifier: Apache-2.0
#include "fedrk/aligned_vector.hpp"

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <new>

#include "linalg/huge_pages.hpp"

namespace fedrk::detail {
namespace {

constexpr std::size_t kLine = 64;

// A dozen vectors of a million numbers, or three of ten million. Sanitizers want to see what is used after it was
// freed.
#ifdef FEDRK_SANITIZED
constexpr std::size_t kMaxSpare = 0;
#else
constexpr std::size_t kMaxSpare = std::size_t{256} << 20;
#endif

// Never destroyed: vectors of static objects may be freed after it would be.
SpareBlocks& spare_blocks() {
  static auto& blocks = *new SpareBlocks(kMaxSpare);
  return blocks;
}

std::size_t whole_huge_pages(std::size_t bytes) { return (bytes + kHugePage - 1) / kHugePage * kHugePage; }

void* allocate_on_huge_pages(std::size_t bytes) {
  const std::size_t rounded = whole_huge_pages(bytes);
  if (void* const spare = spare_blocks().take(rounded)) return spare;
  void* const memory = std::aligned_alloc(kHugePage, rounded);
  if (memory != nullptr) ask_for_huge_pages(memory, rounded);
  return memory;
}

}  // namespace

// A plain malloc with room to move to the next line, the true start written before it: a round allocates such vectors
// all the time, and aligned_alloc takes several times as long.
void* allocate_on_cache_line(std::size_t bytes) {
  if (bytes > std::numeric_limits<std::size_t>::max() / 2) throw std::bad_alloc();
  if (bytes >= kLargeBytes) {
    if (void* const memory = allocate_on_huge_pages(bytes)) return memory;
    throw std::bad_alloc();
  }
  void* const start = std::malloc(bytes + kLine + sizeof(void*));
  if (start == nullptr) throw std::bad_alloc();
  auto at = reinterpret_cast<std::uintptr_t>(start) + sizeof(void*);
  at = (at + kLine - 1) / kLine * kLine;
  auto* const memory = reinterpret_cast<void**>(at);
  memory[-1] = start;
  return memory;
}

void free_on_cache_line(void* memory, std::size_t bytes) noexcept {
  if (bytes >= kLargeBytes) return spare_blocks().keep(memory, whole_huge_pages(bytes));
  std::free(static_cast<void**>(memory)[-1]);
}

}  // namespace fedrk::detail

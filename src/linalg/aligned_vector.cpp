// SPDX-License-Identifier: Apache-2.0
#include "fedrk/linalg/aligned_vector.hpp"

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <new>

#include "linalg/huge_pages.hpp"

namespace fedrk::detail {
namespace {

constexpr std::size_t kLine = 64;

// From the heap, not mapped afresh: replies come and go every round, and should find pages that are there already.
void* allocate_on_huge_pages(std::size_t bytes) {
  const std::size_t rounded = (bytes + kHugePage - 1) / kHugePage * kHugePage;
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
  std::free(bytes >= kLargeBytes ? memory : static_cast<void**>(memory)[-1]);
}

}  // namespace fedrk::detail

// SPDX-License-Identifier: Apache-2.0
#pragma once

// Memory on huge pages where the system has them: a step on a row drawn at random then misses the translation cache
// once, not once for every 4 KB.

#include <cstddef>

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

}  // namespace fedrk::detail

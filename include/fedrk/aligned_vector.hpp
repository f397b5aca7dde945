// SPDX-License-Identifier: Apache-2.0
#pragma once

// Vectors that start on a cache line: steps read and write x all the time, and a register that straddles two lines
// costs two accesses. Large ones lie on huge pages where the system has them. `AlignedVector(n)` and `resize(n)` leave
// entries unset, for those who fill them next; `AlignedVector(n, 0.0)` is all zeros.

#include <algorithm>
#include <cstddef>
#include <new>
#include <span>
#include <utility>
#include <vector>

namespace fedrk {
namespace detail {

/// Throws std::bad_alloc.
void* allocate_on_cache_line(std::size_t bytes);
/// REQUIRES: what `allocate_on_cache_line(bytes)` gave.
void free_on_cache_line(void* memory, std::size_t bytes) noexcept;

}  // namespace detail

template <class Number>
struct CacheLineAllocator {
  using value_type = Number;

  CacheLineAllocator() = default;
  template <class Other>
  CacheLineAllocator(const CacheLineAllocator<Other>&) noexcept {}

  Number* allocate(std::size_t count) {
    return static_cast<Number*>(detail::allocate_on_cache_line(count * sizeof(Number)));
  }
  void deallocate(Number* p, std::size_t count) noexcept { detail::free_on_cache_line(p, count * sizeof(Number)); }
  void construct(Number*) noexcept {}  // without a value: none
  template <class... Values>
  void construct(Number* p, Values&&... values) {
    ::new (static_cast<void*>(p)) Number(std::forward<Values>(values)...);
  }
  friend bool operator==(const CacheLineAllocator&, const CacheLineAllocator&) { return true; }
};

template <class Number>
using BasicAlignedVector = std::vector<Number, CacheLineAllocator<Number>>;
using AlignedVector = BasicAlignedVector<double>;

/// As fast as memory is copied, which the vector's own constructor is not.
inline AlignedVector aligned_copy(std::span<const double> values) {
  AlignedVector copy(values.size());
  std::copy(values.begin(), values.end(), copy.begin());
  return copy;
}

}  // namespace fedrk

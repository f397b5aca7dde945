// SPDX-License-Identifier: Apache-2.0
#pragma once

// A vector of doubles that starts on a cache line. Steps read and write x all the time; a vector register that
// straddles two lines costs two accesses.

#include <cstddef>
#include <new>
#include <vector>

namespace fedrk {

template <class Number>
struct CacheLineAllocator {
  using value_type = Number;
  static constexpr std::align_val_t kLine{64};

  CacheLineAllocator() = default;
  template <class Other>
  CacheLineAllocator(const CacheLineAllocator<Other>&) noexcept {}

  Number* allocate(std::size_t count) { return static_cast<Number*>(::operator new(count * sizeof(Number), kLine)); }
  void deallocate(Number* p, std::size_t) noexcept { ::operator delete(p, kLine); }
  friend bool operator==(const CacheLineAllocator&, const CacheLineAllocator&) { return true; }
};

using AlignedVector = std::vector<double, CacheLineAllocator<double>>;

}  // namespace fedrk

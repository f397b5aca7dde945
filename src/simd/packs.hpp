// SPDX-License-Identifier: Apache-2.0
#pragma once

// Packs: vectors of the compiler (GCC and Clang), as wide as the registers of the instruction set that the including
// file is compiled for. Sixteen partial sums take 2, 4 or 8 of them; term i goes to partial sum i mod 16 and the sums
// are added by halves, so every width gives the same bits.

#include <cstddef>

#if defined(__clang__)
#define FEDRK_UNROLL _Pragma("unroll")
#else
#define FEDRK_UNROLL _Pragma("GCC unroll 16")
#endif

namespace fedrk::detail {
namespace {

#if defined(__AVX512F__)
constexpr std::size_t kPackBytes = 64;
#elif defined(__AVX2__)
constexpr std::size_t kPackBytes = 32;
#else
constexpr std::size_t kPackBytes = 16;
#endif

constexpr std::size_t kLanes = 16;
constexpr std::size_t kWidth = kPackBytes / sizeof(double);  // numbers in a pack
constexpr std::size_t kPacks = kLanes / kWidth;
constexpr std::size_t kLine = 64;  // bytes of a cache line

using Pack = double __attribute__((vector_size(kPackBytes)));
// Written as typedefs: Clang 14 forgets the alignment of an alias declaration.
typedef double LoosePack __attribute__((vector_size(kPackBytes), aligned(alignof(double)), may_alias));
using FloatPack = float __attribute__((vector_size(kPackBytes / 2)));
typedef float LooseFloatPack __attribute__((vector_size(kPackBytes / 2), aligned(alignof(float)), may_alias));

inline Pack load(const double* p) { return *reinterpret_cast<const LoosePack*>(p); }
inline Pack load(const float* p) {
  const FloatPack floats = *reinterpret_cast<const LooseFloatPack*>(p);
  return __builtin_convertvector(floats, Pack);
}
inline void store(double* p, Pack pack) { *reinterpret_cast<LoosePack*>(p) = pack; }

// The first `count` < kWidth numbers, then zeros. A partial sum never is -0, so adding 0 leaves it as it is.
template <class Number>
inline Pack load_part(const Number* p, std::size_t count) {
  alignas(kPackBytes) double numbers[kWidth] = {};
  for (std::size_t k = 0; k < count; ++k) numbers[k] = static_cast<double>(p[k]);
  return load(numbers);
}

struct Sums {
  Pack part[kPacks] = {};

  double total() const {
    Pack sum[kPacks];
    FEDRK_UNROLL
    for (std::size_t k = 0; k < kPacks; ++k) sum[k] = part[k];
    FEDRK_UNROLL
    for (std::size_t half = kPacks / 2; half > 0; half /= 2) {
      FEDRK_UNROLL
      for (std::size_t k = 0; k < half; ++k) sum[k] += sum[k + half];
    }
    alignas(kPackBytes) double lanes[kWidth];
    store(lanes, sum[0]);
    FEDRK_UNROLL
    for (std::size_t half = kWidth / 2; half > 0; half /= 2) {
      FEDRK_UNROLL
      for (std::size_t k = 0; k < half; ++k) lanes[k] += lanes[k + half];
    }
    return lanes[0];
  }
};

// Calls whole(pack number, i) for each full pack from i on, and part(pack number, i, count) for the rest. The pack
// number is a constant after unrolling: indexed by a variable, partial sums would live in memory.
template <class Whole, class Part>
inline void packs_of(std::size_t n, Whole whole, Part part) {
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    FEDRK_UNROLL
    for (std::size_t k = 0; k < kPacks; ++k) whole(k, i + k * kWidth);
  }
  FEDRK_UNROLL
  for (std::size_t k = 0; k < kPacks; ++k) {
    const std::size_t at = i + k * kWidth;
    if (at + kWidth <= n) {
      whole(k, at);
    } else if (at < n) {
      part(k, at, n - at);
    }
  }
}

}  // namespace
}  // namespace fedrk::detail

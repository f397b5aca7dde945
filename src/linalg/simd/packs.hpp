// SPDX-License-Identifier: Apache-2.0
#pragma once

// Packs: vectors of the compiler (GCC and Clang), as wide as the registers of the instruction set that the including
// file is compiled for. Sixteen partial sums take 2, 4 or 8 of them; term i goes to partial sum i mod 16 and the sums
// are added by halves, so every width gives the same bits.

#include <cstddef>
#include <cstdint>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#if defined(__clang__)
#define FEDRK_UNROLL _Pragma("unroll")
#else
#define FEDRK_UNROLL _Pragma("GCC unroll 32")
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
inline Pack spread(double number) { return number - Pack{}; }  // which changes no number, not even -0
inline void store(double* p, Pack pack) { *reinterpret_cast<LoosePack*>(p) = pack; }

// The first `count` < kWidth numbers, then zeros. A partial sum never is -0, so adding 0 leaves it as it is.
#if defined(__AVX512F__)
inline auto first_lanes(std::size_t count) { return static_cast<__mmask8>((1U << count) - 1U); }
inline Pack load_part(const double* p, std::size_t count) { return _mm512_maskz_loadu_pd(first_lanes(count), p); }
inline Pack load_part(const float* p, std::size_t count) {
  const __m512 twice = _mm512_maskz_loadu_ps(first_lanes(count), p);
  const FloatPack floats = __builtin_shufflevector(twice, twice, 0, 1, 2, 3, 4, 5, 6, 7);
  return __builtin_convertvector(floats, Pack);
}
inline void store_part(double* p, Pack pack, std::size_t count) { _mm512_mask_storeu_pd(p, first_lanes(count), pack); }
#elif defined(__AVX2__)
template <class Integer>
inline const Integer* first_lanes(std::size_t count) {  // a set sign bit is a lane that counts
  static constexpr Integer kLanesThenNone[2 * kWidth] = {-1, -1, -1, -1, 0, 0, 0, 0};
  return kLanesThenNone + kWidth - count;
}
inline __m256i double_lanes(std::size_t count) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(first_lanes<std::int64_t>(count)));
}
inline Pack load_part(const double* p, std::size_t count) { return _mm256_maskload_pd(p, double_lanes(count)); }
inline Pack load_part(const float* p, std::size_t count) {
  const __m128i lanes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(first_lanes<std::int32_t>(count)));
  const FloatPack floats = _mm_maskload_ps(p, lanes);
  return __builtin_convertvector(floats, Pack);
}
inline void store_part(double* p, Pack pack, std::size_t count) { _mm256_maskstore_pd(p, double_lanes(count), pack); }
#else
template <class Number>
inline Pack load_part(const Number* p, std::size_t count) {
  Pack numbers = {};
  for (std::size_t k = 0; k < count; ++k) numbers[k] = static_cast<double>(p[k]);
  return numbers;
}
inline void store_part(double* p, Pack pack, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) p[k] = pack[k];
}
#endif

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

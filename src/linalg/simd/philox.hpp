// SPDX-License-Identifier: Apache-2.0
#pragma once

// Philox4x32-10, a block of the stream in each lane. Words are 32 bits wide and stand in lanes of 64, as the products
// of two words need them.

#include <cstddef>
#include <cstdint>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "linalg/simd/packs.hpp"

namespace fedrk::detail {
namespace {

using Words = std::uint64_t __attribute__((vector_size(kPackBytes)));

inline Words multiply_words(Words a, Words b) {
#if defined(__AVX512F__)
  // With a mask of all lanes: the form without one makes GCC 12 warn of its own header.
  return reinterpret_cast<Words>(
      _mm512_maskz_mul_epu32(0xFF, reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#elif defined(__AVX2__)
  return reinterpret_cast<Words>(_mm256_mul_epu32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#elif defined(__SSE2__)
  return reinterpret_cast<Words>(_mm_mul_epu32(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
  return a * b;
#endif
}

inline Words all_lanes(std::uint64_t value) { return value - Words{}; }

// Two packs of blocks, of which one computes while the other waits for its products.
constexpr std::size_t kPhiloxPacks = 2, kPhiloxBlocks = kPhiloxPacks * kWidth;

inline void philox_blocks(std::uint64_t seed, std::uint64_t first, std::uint32_t third, std::uint32_t fourth,
                          std::uint64_t* out) {
  constexpr std::uint64_t kWord = 0xFFFFFFFF;
  constexpr std::uint64_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;  // Salmon et al. 2011
  constexpr std::uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
  const Words word = all_lanes(kWord), multiplier0 = all_lanes(kMultiplier0), multiplier1 = all_lanes(kMultiplier1);
  Words c0[kPhiloxPacks], c1[kPhiloxPacks], c2[kPhiloxPacks], c3[kPhiloxPacks];
  FEDRK_UNROLL
  for (std::size_t p = 0; p < kPhiloxPacks; ++p) {
    Words block = all_lanes(first + p * kWidth);
    for (std::size_t k = 0; k < kWidth; ++k) block[k] += k;
    c0[p] = block & word;
    c1[p] = block >> 32;
    c2[p] = all_lanes(third);
    c3[p] = all_lanes(fourth);
  }
  auto key0 = static_cast<std::uint32_t>(seed), key1 = static_cast<std::uint32_t>(seed >> 32);
  FEDRK_UNROLL
  for (int round = 0; round < 10; ++round) {
    FEDRK_UNROLL
    for (std::size_t p = 0; p < kPhiloxPacks; ++p) {
      const Words product0 = multiply_words(c0[p], multiplier0), product1 = multiply_words(c2[p], multiplier1);
      c0[p] = (product1 >> 32) ^ c1[p] ^ all_lanes(key0);
      c1[p] = product1 & word;
      c2[p] = (product0 >> 32) ^ c3[p] ^ all_lanes(key1);
      c3[p] = product0 & word;
    }
    key0 += kWeyl0;
    key1 += kWeyl1;
  }
  FEDRK_UNROLL
  for (std::size_t p = 0; p < kPhiloxPacks; ++p) {
    const Words low = c0[p] | c1[p] << 32, high = c2[p] | c3[p] << 32;
    for (std::size_t k = 0; k < kWidth; ++k) {
      out[2 * (p * kWidth + k)] = low[k];
      out[2 * (p * kWidth + k) + 1] = high[k];
    }
  }
}

void philox(std::uint64_t seed, std::uint64_t first, std::uint32_t third, std::uint32_t fourth, std::uint64_t* out,
            std::size_t count) {
  for (; count >= kPhiloxBlocks; count -= kPhiloxBlocks, first += kPhiloxBlocks, out += 2 * kPhiloxBlocks) {
    philox_blocks(seed, first, third, fourth, out);
  }
  if (count == 0) return;
  std::uint64_t rest[2 * kPhiloxBlocks];
  philox_blocks(seed, first, third, fourth, rest);
  for (std::size_t k = 0; k < 2 * count; ++k) out[k] = rest[k];
}

}  // namespace
}  // namespace fedrk::detail

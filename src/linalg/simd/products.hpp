// SPDX-License-Identifier: Apache-2.0
#pragma once

// Products of many rows with many, for Gram matrices. Each product has eight partial sums: the tile's shape, which
// follows the number of registers, does not change its bits.

#include <cstddef>
#include <cstdint>

#include "linalg/simd/packs.hpp"

namespace fedrk::detail {
namespace {

constexpr std::size_t kProductLanes = 8;
constexpr std::size_t kProductPacks = kProductLanes / kWidth;
constexpr std::size_t kTileRows = kPackBytes == 64 ? 4 : kPackBytes == 32 ? 2 : 1;
constexpr std::size_t kTileCols = kPackBytes == 64 ? 4 : kPackBytes == 32 ? 2 : 2;

inline double total(const Pack* part) {
  alignas(kPackBytes) double lanes[kProductLanes];
  FEDRK_UNROLL
  for (std::size_t k = 0; k < kProductPacks; ++k) store(lanes + k * kWidth, part[k]);
  FEDRK_UNROLL
  for (std::size_t half = kProductLanes / 2; half > 0; half /= 2) {
    FEDRK_UNROLL
    for (std::size_t k = 0; k < half; ++k) lanes[k] += lanes[k + half];
  }
  return lanes[0];
}

template <std::size_t kRows, std::size_t kCols, class Number>
inline void add_tile(const Number* const* left, const Number* const* right, std::size_t first, std::size_t last,
                     double* out, std::size_t stride) {
  Pack sums[kRows][kCols][kProductPacks] = {};
  std::size_t i = first;
  for (; i + kProductLanes <= last; i += kProductLanes) {
    FEDRK_UNROLL
    for (std::size_t k = 0; k < kProductPacks; ++k) {
      Pack b[kCols];
      FEDRK_UNROLL
      for (std::size_t c = 0; c < kCols; ++c) b[c] = load(right[c] + i + k * kWidth);
      FEDRK_UNROLL
      for (std::size_t r = 0; r < kRows; ++r) {
        const Pack a = load(left[r] + i + k * kWidth);
        FEDRK_UNROLL
        for (std::size_t c = 0; c < kCols; ++c) sums[r][c][k] += a * b[c];
      }
    }
  }
  FEDRK_UNROLL
  for (std::size_t r = 0; r < kRows; ++r) {
    FEDRK_UNROLL
    for (std::size_t c = 0; c < kCols; ++c) {
      double product = total(sums[r][c]);
      for (std::size_t j = i; j < last; ++j)
        product += static_cast<double>(left[r][j]) * static_cast<double>(right[c][j]);
      out[r * stride + c] += product;
    }
  }
}

template <class Number>
void add_products(const Number* const* left, std::size_t left_count, const Number* const* right,
                  std::size_t right_count, std::size_t first, std::size_t last, double* out, std::size_t stride) {
  std::size_t r = 0;
  for (; r + kTileRows <= left_count; r += kTileRows) {
    std::size_t c = 0;
    for (; c + kTileCols <= right_count; c += kTileCols) {
      add_tile<kTileRows, kTileCols>(left + r, right + c, first, last, out + r * stride + c, stride);
    }
    for (; c < right_count; ++c) {
      add_tile<kTileRows, 1>(left + r, right + c, first, last, out + r * stride + c, stride);
    }
  }
  for (; r < left_count; ++r) {
    for (std::size_t c = 0; c < right_count; ++c) {
      add_tile<1, 1>(left + r, right + c, first, last, out + r * stride + c, stride);
    }
  }
}

}  // namespace
}  // namespace fedrk::detail

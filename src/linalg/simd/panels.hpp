// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sums of outer products of rows, for cross-products of columns. A block of rows is packed into panels of eight
// columns, row after row within a panel, and a tile of the result stays in registers while the rows go by. Each entry
// is one sum in the order of the rows: neither the width of registers nor the shape of a tile changes its bits.

#include <cstddef>

#include "linalg/simd/kernel_table.hpp"
#include "linalg/simd/packs.hpp"

namespace fedrk::detail {
namespace {

constexpr std::size_t kTileHeight = kPackBytes == 64 ? 8 : 4;
constexpr std::size_t kTilePacks = kPackBytes == 64 ? 3 : 2;  // sums, factors and a product in all registers
static_assert(kPanel % kWidth == 0 && kPanel % kTileHeight == 0);

// One row's entries to its place in each panel: calls whole(j, place) for the packs that fit, one(j, place) for the
// rest.
template <class Whole, class One>
inline void places_of(std::size_t n, std::size_t panel_stride, Whole whole, One one) {
  std::size_t j = 0, panel = 0;
  for (; j + kPanel <= n; j += kPanel, panel += panel_stride) {
    FEDRK_UNROLL
    for (std::size_t l = 0; l < kPanel; l += kWidth) whole(j + l, panel + l);
  }
  for (std::size_t l = 0; j + l < n; ++l) one(j + l, panel + l);
}

template <class Number>
void pack_row(const Number* row, const double* centre, const double* inverse_scale, std::size_t n, double* panels,
              std::size_t panel_stride) {
  places_of(
      n, panel_stride,
      [&](std::size_t j, std::size_t to) {
        store(panels + to, (load(row + j) - load(centre + j)) * load(inverse_scale + j));
      },
      [&](std::size_t j, std::size_t to) {
        panels[to] = (static_cast<double>(row[j]) - centre[j]) * inverse_scale[j];
      });
}

// out += left^T right for kTileHeight columns of one panel and some packs of columns.
template <std::size_t kPacksAtOnce>
inline void add_outer_tile(const double* left, const double* const* right, std::size_t depth, double* out,
                           std::size_t stride) {
  Pack sums[kTileHeight][kPacksAtOnce] = {};
  for (std::size_t k = 0; k < depth; ++k) {
    Pack b[kPacksAtOnce];
    FEDRK_UNROLL
    for (std::size_t c = 0; c < kPacksAtOnce; ++c) b[c] = load(right[c] + k * kPanel);
    FEDRK_UNROLL
    for (std::size_t r = 0; r < kTileHeight; ++r) {
      const double a = left[k * kPanel + r];
      FEDRK_UNROLL
      for (std::size_t c = 0; c < kPacksAtOnce; ++c) sums[r][c] += a * b[c];
    }
  }
  FEDRK_UNROLL
  for (std::size_t r = 0; r < kTileHeight; ++r) {
    FEDRK_UNROLL
    for (std::size_t c = 0; c < kPacksAtOnce; ++c) {
      double* const at = out + r * stride + c * kWidth;
      store(at, load(at) + sums[r][c]);
    }
  }
}

void add_outer_products(const double* left, const double* right, std::size_t panels, std::size_t panel_stride,
                        std::size_t depth, double* out) {
  const std::size_t packs = panels * (kPanel / kWidth), stride = panels * kPanel;
  const auto pack_at = [&](std::size_t p) {
    const std::size_t column = (p < packs ? p : packs - 1) * kWidth;
    return right + column / kPanel * panel_stride + column % kPanel;
  };
  for (std::size_t p = 0; p < packs; p += kTilePacks) {
    const double* const b[] = {pack_at(p), pack_at(p + 1), pack_at(p + 2)};
    for (std::size_t r = 0; r < kPanel; r += kTileHeight) {
      double* const to = out + r * stride + p * kWidth;
      if (p + kTilePacks <= packs) {
        add_outer_tile<kTilePacks>(left + r, b, depth, to, stride);
      } else if (p + 2 == packs) {
        add_outer_tile<2>(left + r, b, depth, to, stride);
      } else {
        add_outer_tile<1>(left + r, b, depth, to, stride);
      }
    }
  }
}

}  // namespace
}  // namespace fedrk::detail

// SPDX-License-Identifier: Apache-2.0
#pragma once

// Packs of pairs high + low, for numbers of twice the precision, see linalg/double_double.hpp. What a sum or product
// of two doubles leaves over is a double, so it has the same bits however it is found: by a fused multiply-add, or by
// Dekker's splitting where the machine has none.

#include <cstddef>
#include <cstdint>

#include "linalg/simd/kernel_table.hpp"
#include "linalg/simd/packs.hpp"
#include "linalg/simd/panels.hpp"

namespace fedrk::detail {
namespace {

template <class Number>
struct Pair {
  Number high, low;
};
using PackPair = Pair<Pack>;

template <class Number>
inline Pair<Number> fast_two_sum(Number a, Number b) {
  const Number sum = a + b;
  return {sum, b - (sum - a)};
}

template <class Number>
inline Pair<Number> two_sum(Number a, Number b) {
  const Number sum = a + b, of_b = sum - a, of_a = sum - of_b;
  return {sum, (a - of_a) + (b - of_b)};
}

// A factor of many products, prepared once. `rest(a, b, p)` is a b - p for the rounded product p.
#if defined(__AVX512F__) || defined(__FMA__)
template <class Number>
struct Factor {
  Number value;
  explicit Factor(Number number) : value(number) {}
};
#if defined(__AVX512F__)
inline Pack rest(const Factor<Pack>& a, const Factor<Pack>& b, Pack p) { return _mm512_fmsub_pd(a.value, b.value, p); }
#else
inline Pack rest(const Factor<Pack>& a, const Factor<Pack>& b, Pack p) { return _mm256_fmsub_pd(a.value, b.value, p); }
#endif
inline double rest(const Factor<double>& a, const Factor<double>& b, double p) {
  return __builtin_fma(a.value, b.value, -p);
}
#else
template <class Number>
struct Factor {
  Number value, head, tail;  // two halves of 26 bits, whose products are exact
  explicit Factor(Number number) : value(number) {
    const Number shifted = number * 0x1.0000002p27;
    head = shifted - (shifted - number);
    tail = number - head;
  }
};
template <class Number>
inline Number rest(const Factor<Number>& a, const Factor<Number>& b, Number p) {
  return (((a.head * b.head - p) + a.head * b.tail) + a.tail * b.head) + a.tail * b.tail;
}
#endif

template <class Number>
inline Pair<Number> product(const Pair<Number>& a, const Pair<Number>& b) {
  const Factor<Number> x(a.high), y(b.high);
  const Number p = x.value * y.value;
  return fast_two_sum(p, rest(x, y, p) + (a.high * b.low + a.low * b.high));
}

template <class Number>
inline Pair<Number> sum(const Pair<Number>& a, const Pair<Number>& b) {
  const Pair<Number> highs = two_sum(a.high, b.high), lows = two_sum(a.low, b.low);
  const Pair<Number> total = fast_two_sum(highs.high, highs.low + lows.high);
  return fast_two_sum(total.high, total.low + lows.low);
}

// Zero in place of numbers below `smallest`: their products would leave the range in which a rest is exact.
inline void drop_below(double smallest, PackPair& pair) {
  const auto small = (pair.high < smallest) & (pair.high > -smallest);
  const Pack zero = {};
  pair.high = small ? zero : pair.high;
  pair.low = small ? zero : pair.low;
}
inline void drop_below(double smallest, Pair<double>& pair) {
  if (pair.high < smallest && pair.high > -smallest) pair = {0.0, 0.0};
}

constexpr double kMinProduct = 0x1.0p-900;  // from here on its rest is exact, whatever the factors

// (a - centre) inverse_scale
template <class Number>
inline Pair<Number> framed(const Pair<Number>& a, Number centre, Number inverse_scale) {
  const Pair<Number> highs = two_sum(a.high, -centre);
  Pair<Number> entry = fast_two_sum(highs.high, highs.low + a.low);
  entry = {entry.high * inverse_scale, entry.low * inverse_scale};
  drop_below(kMinFactor, entry);
  return entry;
}

template <class Number>
void pack_pair_row(const Number* row, const double* centre, const double* inverse_scale, std::size_t n, double* panels,
                   std::size_t panel_stride) {
  places_of(
      n, panel_stride,
      [&](std::size_t j, std::size_t to) {
        const PackPair entry = framed<Pack>({load(row + j), Pack{}}, load(centre + j), load(inverse_scale + j));
        store(panels + to, entry.high);
        store(panels + to + kPanel, entry.low);
      },
      [&](std::size_t j, std::size_t to) {
        const auto entry = framed<double>({static_cast<double>(row[j]), 0.0}, centre[j], inverse_scale[j]);
        panels[to] = entry.high;
        panels[to + kPanel] = entry.low;
      });
}

template <class Number>
inline Pair<Number> power(Number value, unsigned exponent) {
  Pair<Number> base{value, Number{}}, result{Number{} + 1.0, Number{}};
  for (; exponent > 1; exponent /= 2) {
    if (exponent % 2 == 1) result = product(result, base);
    base = product(base, base);
  }
  if (exponent == 1) result = product(result, base);
  // The products on the way lie between 1 and this one, so they are as exact.
  drop_below(kMinProduct, result);
  return result;
}

void power_pairs(const double* values, std::size_t count, unsigned exponent, double centre, double inverse_scale,
                 double* highs, double* lows) {
  std::size_t i = 0;
  for (; i + kWidth <= count; i += kWidth) {
    const PackPair entry = framed<Pack>(power(load(values + i), exponent), spread(centre), spread(inverse_scale));
    store(highs + i, entry.high);
    store(lows + i, entry.low);
  }
  for (; i < count; ++i) {
    const auto entry = framed<double>(power(values[i], exponent), centre, inverse_scale);
    highs[i] = entry.high;
    lows[i] = entry.low;
  }
}

// Of left and right only the products of two low parts, 2^-106 of the whole, are left out. Within a tile the sum of the
// products' high parts has its own errors and all low parts added to it at the end.
constexpr std::size_t kPairTileHeight = kPackBytes == 64 ? 4 : 2;

inline void add_pair_tile(const double* left, const double* right, std::size_t depth, double* high, double* low,
                          std::size_t stride) {
  constexpr std::size_t kPitch = 2 * kPanel;
  Pack sums[kPairTileHeight] = {}, rests[kPairTileHeight] = {};
  for (std::size_t k = 0; k < depth; ++k) {
    const Factor<Pack> b(load(right + k * kPitch));
    const Pack b_low = load(right + k * kPitch + kPanel);
    FEDRK_UNROLL
    for (std::size_t r = 0; r < kPairTileHeight; ++r) {
      const Factor<Pack> a(spread(left[k * kPitch + r]));
      const Pack a_low = spread(left[k * kPitch + kPanel + r]);
      const Pack p = a.value * b.value;
      const PackPair total = two_sum(sums[r], p);
      rests[r] += (total.low + rest(a, b, p)) + (a.value * b_low + a_low * b.value);
      sums[r] = total.high;
    }
  }
  FEDRK_UNROLL
  for (std::size_t r = 0; r < kPairTileHeight; ++r) {
    double *const to = high + r * stride, *const to_low = low + r * stride;
    const PackPair total = sum(PackPair{load(to), load(to_low)}, two_sum(sums[r], rests[r]));
    store(to, total.high);
    store(to_low, total.low);
  }
}

void add_outer_pairs(const double* left, const double* right, std::size_t panels, std::size_t panel_stride,
                     std::size_t depth, double* high, double* low) {
  const std::size_t stride = panels * kPanel;
  for (std::size_t panel = 0; panel < panels; ++panel) {
    for (std::size_t c = 0; c < kPanel; c += kWidth) {
      for (std::size_t r = 0; r < kPanel; r += kPairTileHeight) {
        const std::size_t to = r * stride + panel * kPanel + c;
        add_pair_tile(left + r, right + panel * panel_stride + c, depth, high + to, low + to, stride);
      }
    }
  }
}

// Entry by entry: the places of the sums are anywhere.
void add_sparse_pairs(const double* entries, const double* entry_lows, const std::uint32_t* columns, std::size_t count,
                      std::size_t cols, double* high, double* low) {
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t i = columns[k], start = i * cols - i * (i + 1) / 2;  // where column j stands at start + j
    const Factor<double> a(entries[k]);
    for (std::size_t l = k; l < count; ++l) {
      const std::size_t to = start + columns[l];
      const Factor<double> b(entries[l]);
      const double p = a.value * b.value;
      const double p_low = rest(a, b, p) + (a.value * entry_lows[l] + entry_lows[k] * b.value);
      const Pair<double> highs = two_sum(high[to], p), total = fast_two_sum(highs.high, highs.low + (low[to] + p_low));
      high[to] = total.high;
      low[to] = total.low;
    }
  }
}

}  // namespace
}  // namespace fedrk::detail

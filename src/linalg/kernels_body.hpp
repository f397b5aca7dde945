// SPDX-License-Identifier: Apache-2.0

// The kernels for the instruction set that the including file is compiled for, which says its name as
// FEDRK_KERNEL_TABLE. No include guard: one inclusion is one table.
//
// Everything is in an unnamed namespace and nothing comes from the standard library, or a function compiled here with
// wide instructions might be the copy that the linker keeps for the whole program.
//
// Packs are vectors of the compiler (GCC and Clang), as wide as the registers. Sixteen partial sums take 2, 4 or 8 of
// them; term i goes to partial sum i mod 16 and the sums are added by halves, so every width gives the same bits.

#include <cstddef>
#include <cstdint>

#include "linalg/kernel_table.hpp"

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
using LoosePack = double __attribute__((vector_size(kPackBytes), aligned(alignof(double)), may_alias));
using FloatPack = float __attribute__((vector_size(kPackBytes / 2)));
using LooseFloatPack = float __attribute__((vector_size(kPackBytes / 2), aligned(alignof(float)), may_alias));

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

template <class Number>
double dot(const Number* a, const double* x, std::size_t n) {
  Sums sums;
  packs_of(
      n, [&](std::size_t k, std::size_t i) { sums.part[k] += load(a + i) * load(x + i); },
      [&](std::size_t k, std::size_t i, std::size_t count) {
        sums.part[k] += load_part(a + i, count) * load_part(x + i, count);
      });
  return sums.total();
}

template <class Number>
double squared_norm(const Number* a, std::size_t n) {
  Sums sums;
  const auto add = [&](std::size_t k, Pack values) { sums.part[k] += values * values; };
  packs_of(
      n, [&](std::size_t k, std::size_t i) { add(k, load(a + i)); },
      [&](std::size_t k, std::size_t i, std::size_t count) { add(k, load_part(a + i, count)); });
  return sums.total();
}

double squared_distance(const double* a, const double* b, std::size_t n) {
  Sums sums;
  const auto add = [&](std::size_t k, Pack difference) { sums.part[k] += difference * difference; };
  packs_of(
      n, [&](std::size_t k, std::size_t i) { add(k, load(a + i) - load(b + i)); },
      [&](std::size_t k, std::size_t i, std::size_t count) {
        add(k, load_part(a + i, count) - load_part(b + i, count));
      });
  return sums.total();
}

template <class Number>
double zero_sum(const Number* a, std::size_t n) {
  Sums sums;
  const auto add = [&](std::size_t k, Pack values) { sums.part[k] += values * 0.0; };
  packs_of(
      n, [&](std::size_t k, std::size_t i) { add(k, load(a + i)); },
      [&](std::size_t k, std::size_t i, std::size_t count) { add(k, load_part(a + i, count)); });
  return sums.total();
}

template <class Number>
void axpy(double alpha, const Number* a, double* x, std::size_t n) {
  packs_of(
      n, [&](std::size_t, std::size_t i) { store(x + i, load(x + i) + alpha * load(a + i)); },
      [&](std::size_t, std::size_t i, std::size_t count) {
        for (std::size_t k = i; k < i + count; ++k) x[k] += alpha * static_cast<double>(a[k]);
      });
}

template <class Number>
double axpy_dot(double alpha, const Number* a, const Number* next, const Number* ahead, double* x, std::size_t n) {
  constexpr std::size_t kPerLine = kLine / sizeof(Number);
  Sums sums;
  packs_of(
      n,
      [&](std::size_t k, std::size_t i) {
        if (k * kWidth % kPerLine == 0) __builtin_prefetch(ahead + i);
        const Pack moved = load(x + i) + alpha * load(a + i);
        store(x + i, moved);
        sums.part[k] += moved * load(next + i);
      },
      [&](std::size_t k, std::size_t i, std::size_t count) {
        for (std::size_t j = i; j < i + count; ++j) x[j] += alpha * static_cast<double>(a[j]);
        sums.part[k] += load_part(x + i, count) * load_part(next + i, count);
      });
  return sums.total();
}

template <std::size_t kRows, class Number>
inline void dot_rows(const Number* const* rows, const double* x, std::size_t n, double* out) {
  Sums sums[kRows];
  packs_of(
      n,
      [&](std::size_t k, std::size_t i) {
        const Pack shared = load(x + i);
        FEDRK_UNROLL
        for (std::size_t r = 0; r < kRows; ++r) sums[r].part[k] += load(rows[r] + i) * shared;
      },
      [&](std::size_t k, std::size_t i, std::size_t count) {
        const Pack shared = load_part(x + i, count);
        FEDRK_UNROLL
        for (std::size_t r = 0; r < kRows; ++r) sums[r].part[k] += load_part(rows[r] + i, count) * shared;
      });
  FEDRK_UNROLL
  for (std::size_t r = 0; r < kRows; ++r) out[r] = sums[r].total();
}

// As many rows at a time as have their partial sums in registers.
template <class Number>
void dot4(const Number* const* rows, const double* x, std::size_t n, double* out) {
  constexpr std::size_t kAtOnce = kPackBytes == 64 ? 4 : kPackBytes == 32 ? 2 : 1;
  for (std::size_t r = 0; r < 4; r += kAtOnce) dot_rows<kAtOnce>(rows + r, x, n, out + r);
}

template <class Number>
void axpy4(const double* weights, const Number* const* rows, double* x, std::size_t n) {
  const Number *a = rows[0], *b = rows[1], *c = rows[2], *d = rows[3];
  const double wa = weights[0], wb = weights[1], wc = weights[2], wd = weights[3];
  packs_of(
      n,
      [&](std::size_t, std::size_t i) {
        store(x + i, (((load(x + i) + wa * load(a + i)) + wb * load(b + i)) + wc * load(c + i)) + wd * load(d + i));
      },
      [&](std::size_t, std::size_t i, std::size_t count) {
        for (std::size_t j = i; j < i + count; ++j) {
          for (std::size_t r = 0; r < 4; ++r) x[j] += weights[r] * static_cast<double>(rows[r][j]);
        }
      });
}

// ---- Products of many rows with many, for Gram matrices. Each product has eight partial sums: the tile's shape, which
// follows the number of registers, does not change its bits.

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

// ---- Sparse rows: eight partial sums, entry by entry.

template <class Number>
double sparse_dot(const Number* values, const std::uint32_t* columns, std::size_t count, const double* x) {
  constexpr std::size_t kSums = 8;
  double sums[kSums] = {};
  std::size_t i = 0;
  for (; i + kSums <= count; i += kSums) {
    FEDRK_UNROLL
    for (std::size_t k = 0; k < kSums; ++k) sums[k] += static_cast<double>(values[i + k]) * x[columns[i + k]];
  }
  FEDRK_UNROLL
  for (std::size_t k = 0; k < kSums; ++k) {
    if (i + k < count) sums[k] += static_cast<double>(values[i + k]) * x[columns[i + k]];
  }
  FEDRK_UNROLL
  for (std::size_t half = kSums / 2; half > 0; half /= 2) {
    FEDRK_UNROLL
    for (std::size_t k = 0; k < half; ++k) sums[k] += sums[k + half];
  }
  return sums[0];
}

// ---- Steps in coefficient space. The gap of the next row is worked out first and by itself, so that its division does
// not wait for the pass over all gaps; the pass comes to the same bits.

void gram_steps(const double* gram, std::size_t stride, std::size_t count, const std::uint32_t* drawn,
                std::size_t steps, double* gaps, double* coefficients) {
  if (steps == 0) return;
  double gap = gaps[drawn[0]];
  for (std::size_t s = 0; s < steps; ++s) {
    const std::size_t j = drawn[s];
    const double* row = gram + j * stride;
    const double by = gap / row[j];
    coefficients[j] += by;
    const bool last = s + 1 == steps;
    const std::size_t next = last ? j : drawn[s + 1];
    gap = gaps[next] - by * row[next];
    const double* ahead = gram + (s + 2 < steps ? drawn[s + 2] : next) * stride;
    packs_of(
        count,
        [&](std::size_t k, std::size_t i) {
          if (k * kWidth % (kLine / sizeof(double)) == 0) __builtin_prefetch(ahead + i);
          store(gaps + i, load(gaps + i) - by * load(row + i));
        },
        [&](std::size_t, std::size_t i, std::size_t rest) {
          for (std::size_t k = i; k < i + rest; ++k) gaps[k] -= by * row[k];
        });
  }
}

template <class Number>
constexpr RowKernels<Number> kRowKernels{dot<Number>,   squared_norm<Number>, zero_sum<Number>,
                                         axpy<Number>,  axpy_dot<Number>,     dot4<Number>,
                                         axpy4<Number>, add_products<Number>, sparse_dot<Number>};

}  // namespace

const KernelTable FEDRK_KERNEL_TABLE{kRowKernels<double>, kRowKernels<float>, squared_distance, gram_steps};

}  // namespace fedrk::detail

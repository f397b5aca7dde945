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

#if defined(__SSE2__)
#include <immintrin.h>
#endif

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
void axpy_minus(double alpha, const Number* a, const double* start, double* x, std::size_t n) {
  packs_of(
      n, [&](std::size_t, std::size_t i) { store(x + i, (load(x + i) + alpha * load(a + i)) - load(start + i)); },
      [&](std::size_t, std::size_t i, std::size_t count) {
        for (std::size_t k = i; k < i + count; ++k) x[k] = (x[k] + alpha * static_cast<double>(a[k])) - start[k];
      });
}

// A row that fits the first cache is called there, a longer one to the second: it would only push x out.
template <bool kLong, class Number>
inline double axpy_dot_calling(double alpha, const Number* a, const Number* next, const Number* ahead, double* x,
                               std::size_t n) {
  constexpr std::size_t kPerLine = kLine / sizeof(Number);
  constexpr int kReading = 0, kCache = kLong ? 2 : 3;
  Sums sums;
  packs_of(
      n,
      [&](std::size_t k, std::size_t i) {
        if (k * kWidth % kPerLine == 0) __builtin_prefetch(ahead + i, kReading, kCache);
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

template <class Number>
double axpy_dot(double alpha, const Number* a, const Number* next, const Number* ahead, double* x, std::size_t n) {
  constexpr std::size_t kLongBytes = 16384;
  return n * sizeof(Number) > kLongBytes ? axpy_dot_calling<true>(alpha, a, next, ahead, x, n)
                                         : axpy_dot_calling<false>(alpha, a, next, ahead, x, n);
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

// ---- Steps in coefficient space, four at a time: how far each goes is worked out from the few numbers that it needs,
// then one pass moves all gaps by the four. A gap meets the steps in their order, so the bits are those of one step
// after another.

template <std::size_t kSteps>
inline void gram_steps_at_once(const double* gram, std::size_t stride, std::size_t count, const std::uint32_t* drawn,
                               const std::uint32_t* ahead, double* gaps, double* coefficients) {
  const double* row[kSteps];
  const double* coming[kSteps];
  double by[kSteps];
  FEDRK_UNROLL
  for (std::size_t s = 0; s < kSteps; ++s) {
    const std::size_t j = drawn[s];
    row[s] = gram + j * stride;
    coming[s] = gram + ahead[s] * stride;
    const double inverse = 1.0 / row[s][j];  // waits for nobody, unlike the gap
    double gap = gaps[j];
    FEDRK_UNROLL
    for (std::size_t before = 0; before < s; ++before) gap -= by[before] * row[before][j];
    by[s] = gap * inverse;
    coefficients[j] += by[s];
  }
  packs_of(
      count,
      [&](std::size_t k, std::size_t i) {
        Pack moved = load(gaps + i);
        FEDRK_UNROLL
        for (std::size_t s = 0; s < kSteps; ++s) {
          if (k * kWidth % (kLine / sizeof(double)) == 0) __builtin_prefetch(coming[s] + i);
          moved -= by[s] * load(row[s] + i);
        }
        store(gaps + i, moved);
      },
      [&](std::size_t, std::size_t i, std::size_t rest) {
        for (std::size_t k = i; k < i + rest; ++k) {
          for (std::size_t s = 0; s < kSteps; ++s) gaps[k] -= by[s] * row[s][k];
        }
      });
}

void gram_steps(const double* gram, std::size_t stride, std::size_t count, const std::uint32_t* drawn,
                std::size_t steps, double* gaps, double* coefficients) {
  std::size_t s = 0;
  for (; s + 8 <= steps; s += 4) {
    gram_steps_at_once<4>(gram, stride, count, drawn + s, drawn + s + 4, gaps, coefficients);
  }
  for (; s < steps; ++s) gram_steps_at_once<1>(gram, stride, count, drawn + s, drawn + s, gaps, coefficients);
}

// ---- Philox4x32-10, a block of the stream in each lane. Words are 32 bits wide and stand in lanes of 64, as the
// products of two words need them.

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

template <class Number>
constexpr RowKernels<Number> kRowKernels{dot<Number>,          squared_norm<Number>, zero_sum<Number>, axpy<Number>,
                                         axpy_minus<Number>,   axpy_dot<Number>,     dot4<Number>,     axpy4<Number>,
                                         add_products<Number>, sparse_dot<Number>};

}  // namespace

const KernelTable FEDRK_KERNEL_TABLE{kRowKernels<double>, kRowKernels<float>, squared_distance, gram_steps, philox};

}  // namespace fedrk::detail

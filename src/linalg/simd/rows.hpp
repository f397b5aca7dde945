// SPDX-License-Identifier: Apache-2.0
#pragma once

// Products with rows and sums of rows, dense and sparse.

#include <cstddef>
#include <cstdint>

#include "linalg/simd/packs.hpp"

namespace fedrk::detail {
namespace {

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

// ---- Rows less a centre, which is the same for all of them.

template <class Number>
inline double centred_dot(const Number* a, const double* centre, const double* x, std::size_t n) {
  if (centre == nullptr) return dot(a, x, n);
  Sums sums;
  packs_of(
      n, [&](std::size_t k, std::size_t i) { sums.part[k] += (load(a + i) - load(centre + i)) * load(x + i); },
      [&](std::size_t k, std::size_t i, std::size_t count) {
        sums.part[k] += (load_part(a + i, count) - load_part(centre + i, count)) * load_part(x + i, count);
      });
  return sums.total();
}

template <class Number>
void centred_dots(const Number* const* rows, std::size_t count, const double* centre, const double* x, std::size_t n,
                  double* out) {
  for (std::size_t r = 0; r < count; ++r) out[r] = centred_dot(rows[r], centre, x, n);
}

// Rows come out of the second cache here, at a rate that bounds this loop: sixteen lanes at once keep every addition's
// latency off it. Every fourth line of the rows ahead is called, in the order of memory. The machine then fetches the
// lines between by itself; more calls than it can keep in mind would hold up the rows that are near.
template <std::size_t kRows, bool kCentred, class Number>
inline void add_rows_at_once(const double* weights, const Number* const* rows, const double* centre, double* sum,
                             std::size_t n, const Number* ahead) {
  constexpr std::size_t kPerLine = kLine / sizeof(Number), kEvery = 4;
  const Number* row[kRows];  // of our own, or the compiler must think that a store to the sum changes them
  double weight[kRows];
  FEDRK_UNROLL
  for (std::size_t r = 0; r < kRows; ++r) {
    row[r] = rows[r];
    weight[r] = weights[r];
  }
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    if (ahead != nullptr) {
      FEDRK_UNROLL
      for (std::size_t l = 0; l < kRows * kLanes / kPerLine; l += kEvery)
        __builtin_prefetch(ahead + i * kRows + l * kPerLine, 0, 1);
    }
    Pack at[kPacks], c[kPacks];
    FEDRK_UNROLL
    for (std::size_t k = 0; k < kPacks; ++k) {
      at[k] = load(sum + i + k * kWidth);
      c[k] = kCentred ? load(centre + i + k * kWidth) : Pack{};
    }
    FEDRK_UNROLL
    for (std::size_t r = 0; r < kRows; ++r) {
      FEDRK_UNROLL
      for (std::size_t k = 0; k < kPacks; ++k) {
        const Pack a = load(row[r] + i + k * kWidth);
        at[k] += weight[r] * (kCentred ? a - c[k] : a);
      }
    }
    FEDRK_UNROLL
    for (std::size_t k = 0; k < kPacks; ++k) store(sum + i + k * kWidth, at[k]);
  }
  for (; i < n; i += kWidth) {
    const std::size_t count = n - i < kWidth ? n - i : kWidth;
    const auto entries = [count, i](const auto* p) { return count == kWidth ? load(p + i) : load_part(p + i, count); };
    Pack at = entries(sum);
    const Pack c = kCentred ? entries(centre) : Pack{};
    FEDRK_UNROLL
    for (std::size_t r = 0; r < kRows; ++r) {
      const Pack a = entries(row[r]);
      at += weight[r] * (kCentred ? a - c : a);
    }
    if (count == kWidth) {
      store(sum + i, at);
    } else {
      store_part(sum + i, at, count);
    }
  }
}

template <bool kCentred, class Number>
inline void add_rows_in_turn(const double* weights, const Number* const* rows, std::size_t count, const double* centre,
                             double* sum, std::size_t n, const Number* ahead) {
  if (count == kRowsAtOnce) return add_rows_at_once<kRowsAtOnce, kCentred>(weights, rows, centre, sum, n, ahead);
  if (count == kFewerRows) return add_rows_at_once<kFewerRows, kCentred>(weights, rows, centre, sum, n, ahead);
  for (std::size_t r = 0; r < count; ++r) add_rows_at_once<1, kCentred>(weights + r, rows + r, centre, sum, n, ahead);
}

template <class Number>
void add_centred_rows(const double* weights, const Number* const* rows, std::size_t count, const double* centre,
                      double* sum, std::size_t n, const Number* ahead) {
  return centre == nullptr ? add_rows_in_turn<false>(weights, rows, count, centre, sum, n, ahead)
                           : add_rows_in_turn<true>(weights, rows, count, centre, sum, n, ahead);
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

}  // namespace
}  // namespace fedrk::detail

// SPDX-License-Identifier: Apache-2.0
#pragma once

// What each instruction set provides: body.hpp, compiled once for each. Raw pointers, because code that is
// compiled for a machine with more instructions must not share an inline function with the rest of the program.

#include <cstddef>
#include <cstdint>

namespace fedrk::detail {

/// Columns in a panel: a block of rows as cross-products take it, eight columns after another, row after row in each.
/// As pairs a row of a panel has eight high parts, then their low parts.
constexpr std::size_t kPanel = 8;

/// Rows that are added up at once.
constexpr std::size_t kRowsAtOnce = 24;
constexpr std::size_t kFewerRows = 16;

/// Factors of exact products: what is smaller counts as zero. What a rounded product of two such factors leaves over is
/// a multiple of 2^-1064, so it is a double, and every instruction set finds the same one.
constexpr double kMinFactor = 0x1.0p-480;

/// On rows of doubles or of floats.
template <class Number>
struct RowKernels {
  double (*dot)(const Number* a, const double* x, std::size_t n);
  double (*squared_norm)(const Number* a, std::size_t n);
  /// Stays 0 exactly while every entry is finite; NaN otherwise.
  double (*zero_sum)(const Number* a, std::size_t n);
  void (*axpy)(double alpha, const Number* a, double* x, std::size_t n);
  /// x = (x + alpha a) - start
  void (*axpy_minus)(double alpha, const Number* a, const double* start, double* x, std::size_t n);
  double (*axpy_dot)(double alpha, const Number* a, const Number* next, const Number* ahead, double* x, std::size_t n);
  /// out[k] = <rows[k], x>, k < 4
  void (*dot4)(const Number* const* rows, const double* x, std::size_t n, double* out);
  /// x += weights[k] rows[k], k < 4, in this order
  void (*axpy4)(const double* weights, const Number* const* rows, double* x, std::size_t n);
  /// out[k] = <rows[k] - centre, x>, k < count; a null centre is zero
  void (*centred_dots)(const Number* const* rows, std::size_t count, const double* centre, const double* x,
                       std::size_t n, double* out);
  /// sum += weights[k] (rows[k] - centre), k < count <= kRowsAtOnce, in this order. Unless it is null, the rows that
  /// stand from `ahead` on are called from memory meanwhile, as many.
  void (*add_centred_rows)(const double* weights, const Number* const* rows, std::size_t count, const double* centre,
                           double* sum, std::size_t n, const Number* ahead);
  /// out[i * stride + j] += <left_i, right_j> over entries first .. last - 1
  void (*add_products)(const Number* const* left, std::size_t left_count, const Number* const* right,
                       std::size_t right_count, std::size_t first, std::size_t last, double* out, std::size_t stride);
  double (*sparse_dot)(const Number* values, const std::uint32_t* columns, std::size_t count, const double* x);
  /// (row[j] - centre[j]) * inverse_scale[j] to its place in the panels, which are `panel_stride` numbers apart
  void (*pack_row)(const Number* row, const double* centre, const double* inverse_scale, std::size_t n, double* panels,
                   std::size_t panel_stride);
  /// The same as pairs, with exact differences; numbers below kMinFactor become zero.
  void (*pack_pair_row)(const Number* row, const double* centre, const double* inverse_scale, std::size_t n,
                        double* panels, std::size_t panel_stride);
};

struct KernelTable {
  RowKernels<double> f64;
  RowKernels<float> f32;
  double (*squared_distance)(const double* a, const double* b, std::size_t n);
  /// out[r * stride + c] += sum over k < depth of left[k][r] right[k][c], for the columns r of a panel and the columns
  /// c of `panels` ones; stride = panels * kPanel
  void (*add_outer_products)(const double* left, const double* right, std::size_t panels, std::size_t panel_stride,
                             std::size_t depth, double* out);
  /// The same of pairs, added to pairs.
  void (*add_outer_pairs)(const double* left, const double* right, std::size_t panels, std::size_t panel_stride,
                          std::size_t depth, double* high, double* low);
  /// Adds the products of a sparse row's entries, pairs, to the packed triangle of `cols` columns.
  void (*add_sparse_pairs)(const double* entries, const double* entry_lows, const std::uint32_t* columns,
                           std::size_t count, std::size_t cols, double* high, double* low);
  /// (values[i]^exponent - centre) * inverse_scale as pairs
  void (*power_pairs)(const double* values, std::size_t count, unsigned exponent, double centre, double inverse_scale,
                      double* highs, double* lows);
  /// Kaczmarz steps on rows drawn[0], drawn[1], ... in coefficient space, see kaczmarz/gram_steps.hpp.
  void (*gram_steps)(const double* gram, std::size_t stride, std::size_t count, const std::uint32_t* drawn,
                     std::size_t steps, double* gaps, double* coefficients);
  /// Blocks first .. first + count - 1 of a stream of linalg/random/rng_stream.hpp, two numbers each.
  void (*philox)(std::uint64_t seed, std::uint64_t first, std::uint32_t third, std::uint32_t fourth, std::uint64_t* out,
                 std::size_t count);
};

extern const KernelTable kBaselineKernels;
#ifdef FEDRK_X86_KERNELS
extern const KernelTable kAvx2Kernels;
extern const KernelTable kAvx512Kernels;
#endif

/// The one in use.
const KernelTable& kernels();

template <class Number>
const RowKernels<Number>& row_kernels() {
  if constexpr (sizeof(Number) == sizeof(double)) {
    return kernels().f64;
  } else {
    return kernels().f32;
  }
}

}  // namespace fedrk::detail

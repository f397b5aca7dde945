// SPDX-License-Identifier: Apache-2.0
#pragma once

// What each instruction set provides: body.hpp, compiled once for each. Raw pointers, because code that is
// compiled for a machine with more instructions must not share an inline function with the rest of the program.

#include <cstddef>
#include <cstdint>

namespace fedrk::detail {

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
  /// out[i * stride + j] += <left_i, right_j> over entries first .. last - 1
  void (*add_products)(const Number* const* left, std::size_t left_count, const Number* const* right,
                       std::size_t right_count, std::size_t first, std::size_t last, double* out, std::size_t stride);
  double (*sparse_dot)(const Number* values, const std::uint32_t* columns, std::size_t count, const double* x);
};

struct KernelTable {
  RowKernels<double> f64;
  RowKernels<float> f32;
  double (*squared_distance)(const double* a, const double* b, std::size_t n);
  /// Kaczmarz steps on rows drawn[0], drawn[1], ... in coefficient space, see kaczmarz/gram_steps.hpp.
  void (*gram_steps)(const double* gram, std::size_t stride, std::size_t count, const std::uint32_t* drawn,
                     std::size_t steps, double* gaps, double* coefficients);
  /// Blocks first .. first + count - 1 of a stream of random/rng_stream.hpp, two numbers each.
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

// SPDX-License-Identifier: Apache-2.0
#include "linalg/kernels.hpp"

#include <algorithm>
#include <cmath>

#include "fedrk/contracts.hpp"
#include "linalg/simd/kernel_table.hpp"

namespace fedrk {
namespace {

using detail::row_kernels;

template <class Number>
bool within(const BasicSparseRow<Number>& a, std::span<const double> x) {
  return a.columns.empty() || a.columns.back() < x.size();
}

template <class Number>
double dense_dot(std::span<const Number> a, std::span<const double> x) {
  FEDRK_EXPECTS(a.size() == x.size());
  return row_kernels<Number>().dot(a.data(), x.data(), x.size());
}

template <class Number>
void dense_axpy(double alpha, std::span<const Number> a, std::span<double> x) {
  FEDRK_EXPECTS(a.size() == x.size());
  row_kernels<Number>().axpy(alpha, a.data(), x.data(), x.size());
}

template <class Number>
void dense_axpy_minus(double alpha, std::span<const Number> a, std::span<const double> start, std::span<double> x) {
  FEDRK_EXPECTS(a.size() == x.size() && start.size() == x.size());
  row_kernels<Number>().axpy_minus(alpha, a.data(), start.data(), x.data(), x.size());
}

template <class Number>
double dense_axpy_dot(double alpha, std::span<const Number> a, std::span<const Number> next,
                      std::span<const Number> ahead, std::span<double> x) {
  FEDRK_EXPECTS(a.size() == x.size() && next.size() == x.size() && ahead.size() == x.size());
  return row_kernels<Number>().axpy_dot(alpha, a.data(), next.data(), ahead.data(), x.data(), x.size());
}

template <class Number>
std::array<const Number*, 4> pointers(const std::array<std::span<const Number>, 4>& rows) {
  FEDRK_EXPECTS(rows[1].size() == rows[0].size() && rows[2].size() == rows[0].size());
  FEDRK_EXPECTS(rows[3].size() == rows[0].size());
  return {rows[0].data(), rows[1].data(), rows[2].data(), rows[3].data()};
}

template <class Number>
std::array<double, 4> dense_dot4(const std::array<std::span<const Number>, 4>& rows, std::span<const double> x) {
  FEDRK_EXPECTS(rows[0].size() == x.size());
  std::array<double, 4> products;
  row_kernels<Number>().dot4(pointers(rows).data(), x.data(), x.size(), products.data());
  return products;
}

template <class Number>
void dense_axpy4(const std::array<double, 4>& weights, const std::array<std::span<const Number>, 4>& rows,
                 std::span<double> x) {
  FEDRK_EXPECTS(rows[0].size() == x.size());
  row_kernels<Number>().axpy4(weights.data(), pointers(rows).data(), x.data(), x.size());
}

template <class Number>
double sparse_dot(const BasicSparseRow<Number>& a, std::span<const double> x) {
  FEDRK_EXPECTS(within(a, x));
  return row_kernels<Number>().sparse_dot(a.values.data(), a.columns.data(), a.values.size(), x.data());
}

// Entry by entry in every instruction set: no machine scatters faster.
template <class Number>
void sparse_axpy(double alpha, const BasicSparseRow<Number>& a, std::span<double> x) {
  FEDRK_EXPECTS(within(a, x));
  const Number* const values = a.values.data();
  const std::uint32_t* const columns = a.columns.data();
  double* const px = x.data();
  for (std::size_t k = 0; k < a.values.size(); ++k) px[columns[k]] += alpha * static_cast<double>(values[k]);
}

// A row of some hundred bytes: its first lines are all that the hardware would not fetch by itself. Inlined by force,
// or GCC finds that the function has no effect and drops the call.
__attribute__((always_inline)) inline void call_from_memory(const void* data, std::size_t bytes) {
  constexpr std::size_t kLine = 64, kMax = 512;
  const char* const first = static_cast<const char*>(data);
  for (std::size_t at = 0; at < std::min(bytes, kMax); at += kLine) __builtin_prefetch(first + at);
  if (bytes > 0) __builtin_prefetch(first + bytes - 1);
}

template <class Number>
double sparse_axpy_dot(double alpha, const BasicSparseRow<Number>& a, const BasicSparseRow<Number>& next,
                       const BasicSparseRow<Number>& ahead, std::span<double> x) {
  call_from_memory(ahead.values.data(), ahead.values.size_bytes());
  call_from_memory(ahead.columns.data(), ahead.columns.size_bytes());
  sparse_axpy(alpha, a, x);
  return sparse_dot(next, x);
}

}  // namespace

double dot(std::span<const double> a, std::span<const double> x) { return dense_dot(a, x); }
double dot(std::span<const float> a, std::span<const double> x) { return dense_dot(a, x); }
double dot(const SparseRow& a, std::span<const double> x) { return sparse_dot(a, x); }
double dot(const SparseRow32& a, std::span<const double> x) { return sparse_dot(a, x); }

void axpy(double alpha, std::span<const double> a, std::span<double> x) { dense_axpy(alpha, a, x); }
void axpy(double alpha, std::span<const float> a, std::span<double> x) { dense_axpy(alpha, a, x); }
void axpy(double alpha, const SparseRow& a, std::span<double> x) { sparse_axpy(alpha, a, x); }
void axpy(double alpha, const SparseRow32& a, std::span<double> x) { sparse_axpy(alpha, a, x); }

void axpy_minus(double alpha, std::span<const double> a, std::span<const double> start, std::span<double> x) {
  dense_axpy_minus(alpha, a, start, x);
}
void axpy_minus(double alpha, std::span<const float> a, std::span<const double> start, std::span<double> x) {
  dense_axpy_minus(alpha, a, start, x);
}
void axpy_minus(double alpha, const SparseRow& a, std::span<const double> start, std::span<double> x) {
  sparse_axpy(alpha, a, x);
  dense_axpy(-1.0, start, x);
}
void axpy_minus(double alpha, const SparseRow32& a, std::span<const double> start, std::span<double> x) {
  sparse_axpy(alpha, a, x);
  dense_axpy(-1.0, start, x);
}

double axpy_dot(double alpha, std::span<const double> a, std::span<const double> next, std::span<const double> ahead,
                std::span<double> x) {
  return dense_axpy_dot(alpha, a, next, ahead, x);
}
double axpy_dot(double alpha, std::span<const float> a, std::span<const float> next, std::span<const float> ahead,
                std::span<double> x) {
  return dense_axpy_dot(alpha, a, next, ahead, x);
}
double axpy_dot(double alpha, const SparseRow& a, const SparseRow& next, const SparseRow& ahead, std::span<double> x) {
  return sparse_axpy_dot(alpha, a, next, ahead, x);
}
double axpy_dot(double alpha, const SparseRow32& a, const SparseRow32& next, const SparseRow32& ahead,
                std::span<double> x) {
  return sparse_axpy_dot(alpha, a, next, ahead, x);
}

std::array<double, 4> dot4(const std::array<std::span<const double>, 4>& rows, std::span<const double> x) {
  return dense_dot4(rows, x);
}
std::array<double, 4> dot4(const std::array<std::span<const float>, 4>& rows, std::span<const double> x) {
  return dense_dot4(rows, x);
}

void axpy4(const std::array<double, 4>& weights, const std::array<std::span<const double>, 4>& rows,
           std::span<double> x) {
  dense_axpy4(weights, rows, x);
}
void axpy4(const std::array<double, 4>& weights, const std::array<std::span<const float>, 4>& rows,
           std::span<double> x) {
  dense_axpy4(weights, rows, x);
}

double squared_norm(std::span<const double> a) { return row_kernels<double>().squared_norm(a.data(), a.size()); }
double squared_norm(std::span<const float> a) { return row_kernels<float>().squared_norm(a.data(), a.size()); }

double distance(std::span<const double> a, std::span<const double> b) {
  FEDRK_EXPECTS(a.size() == b.size());
  return std::sqrt(detail::kernels().squared_distance(a.data(), b.data(), a.size()));
}

bool all_finite(std::span<const double> a) { return row_kernels<double>().zero_sum(a.data(), a.size()) == 0.0; }
bool all_finite(std::span<const float> a) { return row_kernels<float>().zero_sum(a.data(), a.size()) == 0.0; }

}  // namespace fedrk

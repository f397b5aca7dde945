// SPDX-License-Identifier: Apache-2.0
#include "fedrk/linalg/kernels.hpp"

#include <array>
#include <cmath>

#include "fedrk/base/contracts.hpp"

namespace fedrk {
namespace {

constexpr std::size_t kLanes = 16;
using Lanes = std::array<double, kLanes>;

double sum(const Lanes& lanes) {
  Lanes part = lanes;
  for (std::size_t width = kLanes / 2; width > 0; width /= 2) {
    for (std::size_t k = 0; k < width; ++k) part[k] += part[k + width];
  }
  return part[0];
}

// Adds term(i) for i < n; term i goes to partial sum i mod 16, whatever n.
template <class Term>
double interleaved_sum(std::size_t n, Term term) {
  Lanes lanes{};
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (std::size_t k = 0; k < kLanes; ++k) lanes[k] += term(i + k);
  }
  for (std::size_t k = 0; i + k < n; ++k) lanes[k] += term(i + k);
  return sum(lanes);
}

}  // namespace

double dot(std::span<const double> a, std::span<const double> x) {
  FEDRK_EXPECTS(a.size() == x.size());
  const double* pa = a.data();
  const double* px = x.data();
  return interleaved_sum(a.size(), [=](std::size_t i) { return pa[i] * px[i]; });
}

double dot(const SparseRow& a, std::span<const double> x) {
  FEDRK_EXPECTS(a.columns.empty() || a.columns.back() < x.size());
  double result = 0.0;
  for (std::size_t k = 0; k < a.values.size(); ++k) result += a.values[k] * x[a.columns[k]];
  return result;
}

void axpy(double alpha, std::span<const double> a, std::span<double> x) {
  FEDRK_EXPECTS(a.size() == x.size());
  const double* __restrict pa = a.data();
  double* __restrict px = x.data();
  for (std::size_t i = 0; i < a.size(); ++i) px[i] += alpha * pa[i];
}

void axpy(double alpha, const SparseRow& a, std::span<double> x) {
  FEDRK_EXPECTS(a.columns.empty() || a.columns.back() < x.size());
  for (std::size_t k = 0; k < a.values.size(); ++k) x[a.columns[k]] += alpha * a.values[k];
}

double squared_norm(std::span<const double> a) {
  const double* pa = a.data();
  return interleaved_sum(a.size(), [=](std::size_t i) { return pa[i] * pa[i]; });
}

double distance(std::span<const double> a, std::span<const double> b) {
  FEDRK_EXPECTS(a.size() == b.size());
  return std::sqrt(interleaved_sum(a.size(), [&](std::size_t i) { return (a[i] - b[i]) * (a[i] - b[i]); }));
}

bool all_finite(std::span<const double> a) {
  double zero = 0.0;  // stays 0 exactly while every entry is finite; NaN otherwise
  for (const double value : a) zero += value * 0.0;
  return zero == 0.0;
}

}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#pragma once

// The few operations on vectors that every step is made of.
//
// Sums run in sixteen interleaved partial sums that are added in a fixed order: as fast as the memory allows without
// leave to reorder, and the same bits whatever the alignment, the thread or the engine.

#include <cstddef>
#include <cstdint>
#include <span>

namespace fedrk {

/// A row of a sparse matrix: its entries are values[k] at columns[k], ascending.
struct SparseRow {
  std::span<const std::uint32_t> columns;
  std::span<const double> values;
};

double dot(std::span<const double> a, std::span<const double> x);
double dot(const SparseRow& a, std::span<const double> x);

/// x += alpha a
void axpy(double alpha, std::span<const double> a, std::span<double> x);
void axpy(double alpha, const SparseRow& a, std::span<double> x);

double squared_norm(std::span<const double> a);
inline double squared_norm(const SparseRow& a) { return squared_norm(a.values); }

/// ||a - b||
double distance(std::span<const double> a, std::span<const double> b);

bool all_finite(std::span<const double> a);

}  // namespace fedrk

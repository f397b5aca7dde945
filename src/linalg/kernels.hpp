// SPDX-License-Identifier: Apache-2.0
#pragma once

// The few operations on vectors that every step is made of.
//
// Sums run in sixteen interleaved partial sums that are added in a fixed order, and products are rounded before they
// are added. So the bits do not depend on the alignment, the thread, the engine, or the instruction set that
// `instruction_set.hpp` picked for this machine. The operations on several rows at once give the bits of one row after
// another; they only read the vector less often.
//
// Rows may be stored as double or as float; vectors and sums are double always.

#include <array>
#include <cstddef>
#include <span>

#include "fedrk/sparse_matrix.hpp"

namespace fedrk {

double dot(std::span<const double> a, std::span<const double> x);
double dot(std::span<const float> a, std::span<const double> x);
double dot(const SparseRow& a, std::span<const double> x);
double dot(const SparseRow32& a, std::span<const double> x);

/// x += alpha a
void axpy(double alpha, std::span<const double> a, std::span<double> x);
void axpy(double alpha, std::span<const float> a, std::span<double> x);
void axpy(double alpha, const SparseRow& a, std::span<double> x);
void axpy(double alpha, const SparseRow32& a, std::span<double> x);

/// x = (x + alpha a) - start: the last step of many, and how far they all went
void axpy_minus(double alpha, std::span<const double> a, std::span<const double> start, std::span<double> x);
void axpy_minus(double alpha, std::span<const float> a, std::span<const double> start, std::span<double> x);
void axpy_minus(double alpha, const SparseRow& a, std::span<const double> start, std::span<double> x);
void axpy_minus(double alpha, const SparseRow32& a, std::span<const double> start, std::span<double> x);

/// x += alpha a, then <next, x>, in one pass over x, while the row `ahead` is called from memory.
double axpy_dot(double alpha, std::span<const double> a, std::span<const double> next, std::span<const double> ahead,
                std::span<double> x);
double axpy_dot(double alpha, std::span<const float> a, std::span<const float> next, std::span<const float> ahead,
                std::span<double> x);
double axpy_dot(double alpha, const SparseRow& a, const SparseRow& next, const SparseRow& ahead, std::span<double> x);
double axpy_dot(double alpha, const SparseRow32& a, const SparseRow32& next, const SparseRow32& ahead,
                std::span<double> x);

/// The four <rows[k], x>.
std::array<double, 4> dot4(const std::array<std::span<const double>, 4>& rows, std::span<const double> x);
std::array<double, 4> dot4(const std::array<std::span<const float>, 4>& rows, std::span<const double> x);

/// x += weights[k] rows[k] for k = 0, 1, 2, 3
void axpy4(const std::array<double, 4>& weights, const std::array<std::span<const double>, 4>& rows,
           std::span<double> x);
void axpy4(const std::array<double, 4>& weights, const std::array<std::span<const float>, 4>& rows,
           std::span<double> x);

double squared_norm(std::span<const double> a);
double squared_norm(std::span<const float> a);
inline double squared_norm(const SparseRow& a) { return squared_norm(a.values); }
inline double squared_norm(const SparseRow32& a) { return squared_norm(a.values); }

/// ||a - b||
double distance(std::span<const double> a, std::span<const double> b);

bool all_finite(std::span<const double> a);
bool all_finite(std::span<const float> a);

}  // namespace fedrk

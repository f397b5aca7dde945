// SPDX-License-Identifier: Apache-2.0
#pragma once

// Factorisations of dense matrices, by Eigen, which shows in dense.cpp alone.

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "fedrk/matrix.hpp"

namespace fedrk {

/// An orthonormal basis of the span of some rows, as the rows of `basis`, and d, the least-squares solution of
/// (A Q^T) d = b.
struct OrthonormalRows {
  Matrix basis;
  std::vector<double> offsets;
};

/// Of rows a_k = lengths[k] u_k with right-hand sides rhs[k], by rank-revealing QR. `write(k, row)` puts the unit row
/// u_k into `row`, which holds `width` zeros. Unit rows that are nearer than `tolerance`, or rounding, to the span of
/// those taken before add nothing to the basis. Where a right-hand side is NaN the offsets are NaN.
/// REQUIRES: the lengths are positive.
OrthonormalRows orthonormal_rows(std::size_t width, std::span<const double> lengths, std::span<const double> rhs,
                                 const std::function<void(std::size_t k, std::span<double> row)>& write,
                                 double tolerance = 0.0);

/// Of a matrix that lies row after row in `entries`; falling.
std::vector<double> singular_values(std::span<const double> entries, std::size_t rows, std::size_t cols);

/// C^-1 b for the symmetric matrix nearest to `entries` (row after row) whose eigenvalues are all at least `floor`.
struct FlooredSolution {
  std::vector<double> x;
  std::size_t raised = 0;  // eigenvalues that were below it
};
/// REQUIRES: floor > 0.
FlooredSolution solve_floored(std::span<const double> entries, std::span<const double> b, double floor);

/// X with the columns of least norm among those that make ||E X - V|| least.
struct LeastNormSolution {
  Matrix x;
  std::vector<bool> determined;  // of each unknown: E alone fixes it, and no choice of least norm
};
LeastNormSolution solve_least_norm(const Matrix& equations, const Matrix& values);

/// C = sum_k values[k] v_k v_k^T of a symmetric matrix, rising; v_k is row k of `vectors`.
struct SymmetricParts {
  std::vector<double> values;
  Matrix vectors;
};
SymmetricParts symmetric_parts(const Matrix& symmetric);

/// To length one, whatever the size of the entries; zero stays zero.
void normalize(std::span<double> row);

}  // namespace fedrk

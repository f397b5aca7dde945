// SPDX-License-Identifier: Apache-2.0
#pragma once

// The independent truth of the numerical tests: Eigen's decompositions of the whole system. Compiled once, so that a
// test which needs only the answer does not pay for Eigen.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fedrk/system.hpp"

namespace fedrk::test {

/// x + A^+ (b - A x) by a complete orthogonal decomposition: the least-squares solution nearest to x.
std::vector<double> nearest_solution(const LinearSystem& system, std::span<const double> x);

/// The least-squares solution of least norm.
std::vector<double> least_squares(const LinearSystem& system);

/// argmin ||A x - b||^2 + lambda ||x - centre||^2, by a decomposition of A with sqrt(lambda) I below it.
std::vector<double> ridge_solution(const LinearSystem& system, double lambda, std::span<const double> centre);

/// Singular values from the eigenvalues of the smaller of A^T A and A A^T, falling. For well-conditioned A.
std::vector<double> singular_values(const Rows& rows);

struct SolvedSystem {
  LinearSystem system;
  std::vector<double> solution;
};

/// A = U S V^T with random orthogonal U and V (of Gaussian matrices, by QR) and singular values from 1 down to
/// 1/condition, evenly in the logarithm; x* standard Gaussian, b = A x*. REQUIRES: rows >= cols > 1.
SolvedSystem system_of_condition(std::size_t rows, std::size_t cols, double condition, std::uint64_t seed);

}  // namespace fedrk::test

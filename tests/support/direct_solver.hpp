// SPDX-License-Identifier: Apache-2.0
#pragma once

// The independent truth of the numerical tests: Eigen's decompositions of the whole system. Compiled once, so that a
// test which needs only the answer does not pay for Eigen.

#include <span>
#include <vector>

#include "fedrk/problem/linear_system.hpp"

namespace fedrk::test {

/// x + A^+ (b - A x) by a complete orthogonal decomposition: the least-squares solution nearest to x.
std::vector<double> nearest_solution(const LinearSystem& system, std::span<const double> x);

/// The least-squares solution of least norm.
std::vector<double> least_squares(const LinearSystem& system);

/// Singular values from the eigenvalues of the smaller of A^T A and A A^T, falling. For well-conditioned A.
std::vector<double> singular_values(const Rows& rows);

}  // namespace fedrk::test

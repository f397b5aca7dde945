// SPDX-License-Identifier: Apache-2.0
#pragma once

// What fedrk is measured against: the same work as a good engineer writes it in twenty minutes, with Eigen, OpenBLAS
// and the standard library. Compiled with -O3 -march=native, which fedrk itself is not.

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "fedrk/matrix.hpp"
#include "fedrk/sparse_matrix.hpp"

namespace fedrk::bench {

/// Rows in row-major order, drawn by std::discrete_distribution.
class EigenSolver {
 public:
  EigenSolver(const Matrix& matrix, std::span<const double> rhs);
  ~EigenSolver();
  EigenSolver(EigenSolver&&) noexcept;
  EigenSolver& operator=(EigenSolver&&) noexcept;

  /// Norms and distribution, as the constructor makes them.
  void prepare();
  /// Kaczmarz steps with Eigen's dot and +=.
  void steps(std::uint64_t count, std::span<double> x);
  /// The same with ddot and daxpy of OpenBLAS, on one thread.
  void blas_steps(std::uint64_t count, std::span<double> x);
  /// A client's part of a round: from x, the displacement.
  std::vector<double> pass(std::uint64_t count, std::span<const double> x);
  /// A y and A^T z, the products that an exact projection is made of.
  void two_products(std::span<const double> x, std::span<double> out);
  void two_blas_products(std::span<const double> x, std::span<double> out);

 private:
  struct State;
  State* state_;
};

/// Kaczmarz steps on compressed rows, entry after entry, drawn by std::discrete_distribution.
class CsrSolver {
 public:
  CsrSolver(const SparseMatrix& matrix, std::span<const double> rhs);
  void steps(std::uint64_t count, std::span<double> x);

 private:
  std::vector<std::size_t> row_start_{0};
  std::vector<std::uint32_t> columns_;
  std::vector<double> values_, rhs_, squared_norms_;
  std::discrete_distribution<std::size_t> draw_;
  std::mt19937_64 random_{1};
};

/// FedRK as in the paper, written plainly: rounds until the relative error to `truth` is at most `tolerance`.
std::size_t plain_fedrk(std::vector<EigenSolver>& clients, std::size_t participants, std::uint64_t local_steps,
                        std::uint64_t server_steps, std::span<const double> truth, double tolerance);

/// The numbers of a CSV text below its header, line by line with std::getline and strtod.
std::vector<double> plain_csv(const std::string& text);

/// The upper triangle of A^T A by dsyrk of OpenBLAS, on one thread. `out` is n x n.
void blas_cross_products(const Matrix& matrix, std::span<double> out);

/// The sum of all numbers, by a loop the compiler is free to reorder: what reading them costs.
double plain_sum(std::span<const double> numbers);

}  // namespace fedrk::bench

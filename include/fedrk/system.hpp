// SPDX-License-Identifier: Apache-2.0
#pragma once

// A x = b: everyone's rows before the partition, one client's after it.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "fedrk/aligned_vector.hpp"
#include "fedrk/matrix.hpp"
#include "fedrk/sparse_matrix.hpp"

namespace fedrk {

/// Dense or sparse, of doubles or of floats (storage.hpp).
using Rows = std::variant<Matrix, SparseMatrix, Matrix32, SparseMatrix32>;

inline std::size_t row_count(const Rows& rows) {
  return std::visit([](const auto& m) { return m.rows(); }, rows);
}
inline std::size_t column_count(const Rows& rows) {
  return std::visit([](const auto& m) { return m.cols(); }, rows);
}
inline bool is_sparse(const Rows& rows) {
  return std::holds_alternative<SparseMatrix>(rows) || std::holds_alternative<SparseMatrix32>(rows);
}

struct LinearSystem {
  Rows rows;                // A
  std::vector<double> rhs;  // b
};

/// A second one of everything, which runs never need: rows may be large.
LinearSystem copy_of(const LinearSystem& system);

/// Puts a column of ones before the others: the unknown it belongs to is the intercept.
void add_intercept(LinearSystem& system);

/// A x
std::vector<double> multiply(const Rows& rows, std::span<const double> x);
/// A^T y
AlignedVector combine(const Rows& rows, std::span<const double> y);

/// The same equations for some of the unknowns, the others being zero. REQUIRES: `columns` ascend.
LinearSystem restrict_to(const LinearSystem& system, std::span<const std::uint32_t> columns);

/// ||b - A x||^2
double squared_residual(const LinearSystem& system, std::span<const double> x);

/// The first equation 0 = b_j with b_j != 0, which no x satisfies.
std::optional<std::size_t> find_contradictory_row(const LinearSystem& system);

}  // namespace fedrk

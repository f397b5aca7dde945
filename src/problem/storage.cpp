// SPDX-License-Identifier: Apache-2.0
#include "problem/storage.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "fedrk/error.hpp"
#include "problem/rescale.hpp"

namespace fedrk {
namespace {

constexpr double kLargestFloat = std::numeric_limits<float>::max();

// A float of this size and all those up to 2^-50 of it have their full digits, or an error far below those.
constexpr double kTiny = 0x1.0p-100;

// Scales rows of tiny entries, with their right-hand sides, so that the largest lies in [1, 2). Tells how many.
template <class MatrixType>
std::size_t lift_tiny_rows(MatrixType& matrix, std::span<double> rhs) {
  std::size_t lifted = 0;
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    const double largest = largest_entry(std::as_const(matrix).values(i));
    if (largest == 0.0 || largest >= kTiny) continue;
    rescale(matrix.values(i), largest, rhs[i]);
    ++lifted;
  }
  return lifted;
}

// Numbers that are not finite stay what they are: a RowBlock refuses them in its own words.
// Counts what became zero.
std::size_t round_row(std::span<const double> row, std::size_t i, float* out) {
  std::size_t vanished = 0;
  for (const double value : row) {
    if (std::abs(value) > kLargestFloat && std::isfinite(value)) {
      throw InvalidArgument("row " + std::to_string(i + 1) +
                            " holds a number beyond the range of float32 (3.4e38): use float64");
    }
    *out = static_cast<float>(value);
    vanished += *out++ == 0.0F && value != 0.0 ? 1 : 0;
  }
  return vanished;
}

Rows rounded(Matrix matrix, std::size_t& vanished) {
  Matrix32 floats(matrix.rows(), matrix.cols());
  // Doubles go as floats come: the two are never there as a whole together.
  constexpr std::size_t kStretchBytes = std::size_t{32} << 20;
  const std::size_t stretch = 1 + kStretchBytes / sizeof(double) / (matrix.cols() + 1);
  for (std::size_t first = 0; first < matrix.rows(); first += stretch) {
    const std::size_t last = std::min(first + stretch, matrix.rows());
    for (std::size_t i = first; i < last; ++i)
      vanished += round_row(std::as_const(matrix).row(i), i, floats.row(i).data());
    matrix.give_back(first, last);
  }
  return floats;
}

Rows rounded(SparseMatrix matrix, std::size_t& vanished) {
  BasicAlignedVector<float> values(matrix.nonzeros());
  float* next = values.data();
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    vanished += round_row(matrix.row(i).values, i, next);
    next += matrix.row(i).values.size();
  }
  return std::move(matrix).with_values(std::move(values));
}

Rows rounded(Matrix32 matrix, std::size_t&) { return matrix; }
Rows rounded(SparseMatrix32 matrix, std::size_t&) { return matrix; }

}  // namespace

Rounding store_as_floats(LinearSystem& system, RowUse use) {
  if (row_count(system.rows) != system.rhs.size()) {
    throw InvalidArgument(std::to_string(row_count(system.rows)) + " rows need as many right-hand sides, not " +
                          std::to_string(system.rhs.size()));
  }
  Rows given = std::exchange(system.rows, Rows());
  Rounding rounding;
  std::visit(
      [&](auto& matrix) {
        if (use == RowUse::Steps) rounding.scaled_rows = lift_tiny_rows(matrix, system.rhs);
        system.rows = rounded(std::move(matrix), rounding.vanished_entries);
      },
      given);
  return rounding;
}

}  // namespace fedrk

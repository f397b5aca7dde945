// SPDX-License-Identifier: Apache-2.0
#pragma once

// A client's steps in coefficient space: the gaps r = b - A x of the rows that will be drawn, the steps on these
// (gram_steps.hpp), and the displacement Delta = A^T y. Beside the steps a pass costs two products with the rows it
// touches.

#include <cstdint>
#include <span>
#include <vector>

#include "fedrk/aligned_vector.hpp"
#include "kaczmarz/gram_steps.hpp"
#include "kaczmarz/randomized_kaczmarz.hpp"
#include "linalg/row_products.hpp"

namespace fedrk {

/// How far `steps` steps from `x` move it. `gram` holds the inner products of all rows of `equations`. Where `gap` is
/// given it is set to <y, r>, that of the hyperplane on which every solution lies (randomized_kaczmarz.hpp).
template <class MatrixType>
AlignedVector gram_displacement(const EquationRows<MatrixType>& equations, const Matrix& gram,
                                const RowSampler& sampler, std::uint64_t steps, RngStream stream,
                                std::span<const double> x, double* gap = nullptr) {
  AlignedVector displacement(x.size(), 0.0);
  if (sampler.empty()) return displacement;
  GramSteps gram_steps(sampler, steps, gram.rows(), stream);
  const auto touched = gram_steps.touched();
  const auto row_at = [&](std::size_t k) { return equations.matrix.row(touched[k]); };

  std::vector<double> of_touched(touched.size());
  AlignedVector gaps(gram.rows(), 0.0), coefficients(gram.rows(), 0.0);
  multiply_rows(row_at, x, of_touched);
  for (std::size_t k = 0; k < touched.size(); ++k) gaps[touched[k]] = equations.rhs[touched[k]] - of_touched[k];
  const AlignedVector at_first = gap != nullptr ? gaps : AlignedVector{};
  gram_steps.run(gram, gaps, coefficients);
  if (gap != nullptr) *gap = dot(coefficients, at_first);
  for (std::size_t k = 0; k < touched.size(); ++k) of_touched[k] = coefficients[touched[k]];
  add_rows(row_at, of_touched, displacement);
  return displacement;
}

}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#pragma once

// Randomized Kaczmarz: project onto one randomly drawn equation after another.
//
// For rows a_s of unit length drawn with probabilities p(s) > 0 and a solution x*,
//
//     E ||x_k - x*||^2 <= alpha^k ||x_0 - x*||^2,      alpha = 1 - lambda_min( sum_s p(s) a_s a_s^T ).
//
// The one loop for clients and server. It allocates nothing.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fedrk/kaczmarz/projection.hpp"
#include "fedrk/random/rng_stream.hpp"
#include "fedrk/random/row_sampler.hpp"

namespace fedrk {

/// Something that names hyperplanes by number.
template <class Planes>
concept HyperplaneSource = requires(const Planes& planes, std::size_t j, std::span<double> x) {
  project(planes(j), x);
};

/// Runs `steps` steps from `x`, in place. Does nothing where there is no row to draw.
template <HyperplaneSource Planes>
void randomized_kaczmarz(const Planes& planes, const RowSampler& sampler, std::uint64_t steps, RngStream stream,
                         std::span<double> x) {
  if (sampler.empty()) return;
  for (std::uint64_t k = 0; k < steps; ++k) project(planes(sampler.draw(stream)), x);
}

/// The equations <row_j, x> = rhs_j of a matrix with known squared norms.
template <class MatrixType>
struct EquationRows {
  const MatrixType& matrix;
  std::span<const double> rhs;
  std::span<const double> squared_norms;

  auto operator()(std::size_t j) const {
    return HyperplaneView<decltype(matrix.row(j))>{matrix.row(j), rhs[j], squared_norms[j]};
  }
};

template <class MatrixType>  // needed by compilers without the deduction of C++20 aggregates
EquationRows(const MatrixType&, std::span<const double>, std::span<const double>)->EquationRows<MatrixType>;

}  // namespace fedrk

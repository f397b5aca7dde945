// SPDX-License-Identifier: Apache-2.0
#pragma once

// Randomized Kaczmarz: project onto one randomly drawn equation after another.
//
// For rows a_s of unit length drawn with probabilities p(s) > 0 and a solution x*,
//
//     E ||x_k - x*||^2 <= alpha^k ||x_0 - x*||^2,      alpha = 1 - lambda_min( sum_s p(s) a_s a_s^T ).
//
// The steps of `randomized_kaczmarz` are the projections of projection.hpp, to the bit. The loop sees the coming rows:
// it moves x and takes the product with the next row in one pass, while a row after that is on its way from memory. It
// allocates nothing.
//
// Steps from x that end at x + Delta, Delta = sum_k c_k a_k, tell a hyperplane on which every solution lies:
//
//     <Delta, x* - x> = sum_k c_k (b_k - <a_k, x>) = (||Delta||^2 + sum_k ||c_k a_k||^2) / 2,
//
// as b_k - <a_k, x> = (b_k - <a_k, x_k>) + <a_k, x_k - x> and 2 <c_k a_k, x_k - x> is what ||x_k - x||^2 grows by,
// less ||c_k a_k||^2. This is the gap of the hyperplane, a sum of squares without cancellation.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fedrk/aligned_vector.hpp"
#include "kaczmarz/projection.hpp"
#include "linalg/random/rng_stream.hpp"
#include "linalg/random/row_sampler.hpp"

namespace fedrk {

/// Something that names hyperplanes by number.
template <class Planes>
concept HyperplaneSource = requires(const Planes& planes, std::size_t j, std::span<double> x) {
  project(planes(j), x);
};

namespace detail {

// How many steps before its own a row is called from memory: about ten kilobytes' worth of rows, so that it arrives in
// time.
inline std::size_t rows_ahead(std::size_t row_bytes) {
  return std::clamp<std::size_t>(10000 / std::max<std::size_t>(1, row_bytes), 2, 8);
}
template <class Number>
std::size_t rows_ahead(std::span<const Number> row) {
  return rows_ahead(row.size_bytes());
}
template <class Number>
std::size_t rows_ahead(const BasicSparseRow<Number>& row) {
  return rows_ahead(row.values.size_bytes() + row.columns.size_bytes());
}

// One step by itself, to the bit of one added to zeros, which a dense one need not write first.
template <class Number>
AlignedVector single_step(double by, std::span<const Number> row, std::size_t) {
  AlignedVector step(row.size());
  for (std::size_t k = 0; k < row.size(); ++k) step[k] = 0.0 + by * static_cast<double>(row[k]);
  return step;
}
template <class Number>
AlignedVector single_step(double by, const BasicSparseRow<Number>& row, std::size_t unknowns) {
  AlignedVector step(unknowns, 0.0);
  axpy(by, row, step);
  return step;
}

// All steps but the last, which is returned with the squared lengths of all steps together.
template <class Plane>
struct LastStep {
  double by;
  Plane plane;
  double squared_steps;
};

template <HyperplaneSource Planes>
auto all_but_the_last_step(const Planes& planes, const RowSampler& sampler, std::uint64_t steps, RngStream stream,
                           std::span<double> x) {
  DrawnRows drawn(sampler, steps, stream);
  auto current = planes(drawn[0]);
  const std::size_t ahead = rows_ahead(current.normal);
  double product = dot(current.normal, x), squared_steps = 0.0;
  const auto step = [&] {
    const double lacks = current.offset - product, by = lacks / current.squared_norm;
    squared_steps += by * lacks;
    return by;
  };
  for (; steps > 1; --steps, drawn.advance()) {
    if constexpr (requires { planes.call_from_memory(drawn[0]); }) planes.call_from_memory(drawn[DrawnRows::kAhead]);
    const double by = step();
    const auto next = planes(drawn[1]);
    product = axpy_dot(by, current.normal, next.normal, planes(drawn[ahead]).normal, x);
    current = next;
  }
  const double by = step();
  return LastStep<decltype(current)>{by, current, squared_steps};
}

}  // namespace detail

/// Runs `steps` steps from `x`, in place. Does nothing where there is no row to draw.
template <HyperplaneSource Planes>
void randomized_kaczmarz(const Planes& planes, const RowSampler& sampler, std::uint64_t steps, RngStream stream,
                         std::span<double> x) {
  if (sampler.empty() || steps == 0) return;
  const auto last = detail::all_but_the_last_step(planes, sampler, steps, stream, x);
  axpy(last.by, last.plane.normal, x);
}

/// How far these steps go from `x`, which stays. Where `gap` is given it is set to that of the hyperplane which they
/// tell.
template <HyperplaneSource Planes>
AlignedVector kaczmarz_displacement(const Planes& planes, const RowSampler& sampler, std::uint64_t steps,
                                    RngStream stream, std::span<const double> x, double* gap = nullptr) {
  if (sampler.empty() || steps == 0) return AlignedVector(x.size(), 0.0);
  if (steps == 1) {  // is the displacement, without a sum that would round it
    const auto plane = planes(sampler.draw(stream));
    const double lacks = plane.offset - dot(plane.normal, x), by = lacks / plane.squared_norm;
    if (gap != nullptr) *gap = by * lacks;
    return detail::single_step(by, plane.normal, x.size());
  }
  AlignedVector moved = aligned_copy(x);
  const auto last = detail::all_but_the_last_step(planes, sampler, steps, stream, std::span<double>(moved));
  axpy_minus(last.by, last.plane.normal, x, moved);
  if (gap != nullptr) *gap = 0.5 * (squared_norm(moved) + last.squared_steps);
  return moved;
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

  /// Has what operator() reads of row j fetched from memory. Worth it where a step is short.
  [[gnu::always_inline]] void call_from_memory(std::size_t j) const {
    if constexpr (requires { matrix.call_from_memory(j); }) {
      matrix.call_from_memory(j);
      __builtin_prefetch(&rhs[j]);
      __builtin_prefetch(&squared_norms[j]);
    }
  }
};

template <class MatrixType>  // needed by compilers without the deduction of C++20 aggregates
EquationRows(const MatrixType&, std::span<const double>, std::span<const double>)->EquationRows<MatrixType>;

}  // namespace fedrk

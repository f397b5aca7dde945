// SPDX-License-Identifier: Apache-2.0
#pragma once

// The exact projection onto { z : A z = b }, prepared once and applied often.
//
// With Q an orthonormal basis of the row space of A (found by rank-revealing QR of the rows scaled to unit length) the
// solution set is { z : Q z = d }, and
//
//     A^+ (b - A x) = Q^T (d - Q x),        d = the least-squares solution of (A Q^T) d = b.
//
// So dependent rows cost nothing, and where A z = b has no solution the projection is the one onto the least-squares
// solutions. One application is two products with Q. Rows of length zero take no part.
//
// A sparse A is factorised on the columns it touches; one too large for that is projected onto by conjugate gradients
// (CGLS), exact to rounding unless the rows are badly conditioned.

#include <memory>
#include <span>

#include "fedrk/aligned_vector.hpp"
#include "fedrk/matrix.hpp"
#include "fedrk/sparse_matrix.hpp"

namespace fedrk {

class RowSpaceProjection {
 public:
  template <class Number>  // double or float
  RowSpaceProjection(const BasicMatrix<Number>& rows, std::span<const double> rhs);
  template <class Number>
  RowSpaceProjection(const BasicSparseMatrix<Number>& rows, std::span<const double> rhs);
  RowSpaceProjection(RowSpaceProjection&&) noexcept;
  RowSpaceProjection& operator=(RowSpaceProjection&&) noexcept;
  ~RowSpaceProjection();

  /// Replaces `x` by the solution nearest to it.
  void project(std::span<double> x) const;

  /// The way there, A^+ (b - A x), to the accuracy of its own length where a difference of two points would have that
  /// of x.
  AlignedVector displacement(std::span<const double> x) const;

 private:
  class Form;
  class DenseForm;
  template <class Number>
  class SparseForm;
  std::unique_ptr<const Form> form_;
};

}  // namespace fedrk

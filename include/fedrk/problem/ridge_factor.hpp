// SPDX-License-Identifier: Apache-2.0
#pragma once

// y = (A A^T + lambda I)^-1 r for a fixed A and lambda > 0, prepared once and applied often.
//
// With fewer rows than columns the matrix itself is factorised (Cholesky), else its counterpart A^T A + lambda I of n
// rows, as y = (r - A u) / lambda with u = (A^T A + lambda I)^-1 A^T r. Where both are too large, conjugate gradients
// solve the first, to rounding.

#include <memory>
#include <span>
#include <vector>

#include "fedrk/problem/linear_system.hpp"

namespace fedrk {

class RidgeFactor {
 public:
  /// REQUIRES: lambda > 0.
  RidgeFactor(const Rows& rows, double lambda);
  RidgeFactor(RidgeFactor&&) noexcept;
  RidgeFactor& operator=(RidgeFactor&&) noexcept;
  ~RidgeFactor();

  double lambda() const { return lambda_; }
  /// REQUIRES: the rows that it was made of.
  std::vector<double> solve(const Rows& rows, std::span<const double> r) const;

 private:
  std::vector<double> by_conjugate_gradients(const Rows& rows, std::span<const double> r) const;

  struct Cholesky;
  double lambda_;
  bool of_rows_ = true;                       // factorised A A^T + lambda I, else A^T A + lambda I
  std::unique_ptr<const Cholesky> cholesky_;  // none where it would be too large
};

}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#pragma once

// A client's rows with what its steps need: a table to draw rows from, and, made when first needed, the inner products
// of the rows and the factorisation behind exact projections. Which form the steps take is decided here.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "fedrk/aligned_vector.hpp"
#include "fedrk/row_block.hpp"
#include "fedrk/steps.hpp"
#include "linalg/random/row_sampler.hpp"
#include "linalg/row_space.hpp"

namespace fedrk {

class LocalSolver {
 public:
  LocalSolver(RowBlock block, StepOptions options);

  const RowBlock& block() const { return block_; }
  const StepOptions& options() const { return options_; }

  /// Delta, how far the steps go from x; a gap that is asked for is that of a valid hyperplane (hyperplane.hpp).
  AlignedVector displacement(const StepBudget& budget, RngStream stream, std::span<const double> x,
                             double* gap = nullptr);

  /// How far steps of the sparse Kaczmarz method move v (question.hpp), and their gap at x = soft(v, lambda).
  AlignedVector sparse_displacement(FixedSteps steps, double lambda, RngStream stream, std::span<const double> v,
                                    double& gap) const;

 private:
  LocalForm form_for(FixedSteps steps) const;
  AlignedVector steps(FixedSteps steps, RngStream stream, std::span<const double> x, double* gap);
  AlignedVector projection(std::span<const double> x, double* gap);
  std::vector<double> residuals_of_steps(FixedSteps budget, RngStream stream, std::span<const double> x) const;
  const Matrix& gram();

  RowBlock block_;
  StepOptions options_;
  RowSampler sampler_;
  std::optional<Matrix> gram_;  // A A^T
  std::optional<RowSpaceProjection> projection_;
};

}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#pragma once

// Answers that are a function of rows and x alone.

#include <cstddef>
#include <span>

#include "fedrk/aligned_vector.hpp"
#include "fedrk/question.hpp"
#include "fedrk/row_block.hpp"
#include "linalg/random/rng_stream.hpp"

namespace fedrk {

/// REQUIRES: `own` is empty or as long as x.
void gradient_steps(const GradientSteps& work, const RowBlock& block, std::span<const double> own, RngStream stream,
                    std::span<double> x);
double curvature(const RowBlock& block);
AlignedVector column_norms(const RowBlock& block);

}  // namespace fedrk

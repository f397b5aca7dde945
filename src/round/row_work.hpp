// SPDX-License-Identifier: Apache-2.0
#pragma once

// Answers that are a function of rows and x alone, and the rows themselves.

#include <cstddef>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "fedrk/aligned_vector.hpp"
#include "fedrk/engine.hpp"
#include "fedrk/question.hpp"
#include "fedrk/row_block.hpp"
#include "fedrk/system.hpp"
#include "linalg/random/rng_stream.hpp"

namespace fedrk {

/// REQUIRES: `own` is empty or as long as x.
void gradient_steps(const GradientSteps& work, const RowBlock& block, std::span<const double> own, RngStream stream,
                    std::span<double> x);
double curvature(const RowBlock& block);
AlignedVector column_norms(const RowBlock& block);

// Rows as a message: what owners would send who do pool them. For studies only; it gives everything away.
//
// The message begins with its form (0 dense, 1 sparse). A dense row follows as its n entries and its right-hand side, a
// sparse one as the number of its entries, their columns, their values and its right-hand side.

AlignedVector pack_rows(const LinearSystem& system);

/// The system of all replies, one below the other; sparse where all of them are. An error where one does not make
/// sense.
Result<LinearSystem> unpack_rows(std::span<const LocalReply> replies, std::size_t unknowns);

}  // namespace fedrk

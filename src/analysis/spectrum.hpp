// SPDX-License-Identifier: Apache-2.0
#pragma once

// How hard a system is for Kaczmarz steps. Needs all rows in one place, so it is for studies and for a look at one's
// own data, never for a server.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "fedrk/system.hpp"
#include "linalg/random/row_sampler.hpp"

namespace fedrk {

struct Spectrum {
  std::vector<double> singular_values;  // falling
  std::size_t rank = 0;

  /// Largest over smallest singular value that is not zero.
  double condition_number() const;

  /// alpha of randomized Kaczmarz with rows drawn by squared norm, see `kaczmarz_rate` below.
  double kaczmarz_rate() const;
};

/// Costs about rows * cols * min(rows, cols) operations and a dense copy.
Spectrum spectrum(const Rows& rows);

/// alpha of randomized Kaczmarz: E ||x_k - x*||^2 <= alpha^k ||x_0 - x*||^2 for a start in the row space. Zero rows are
/// never drawn and do not count.
double kaczmarz_rate(const Rows& rows, RowSampling sampling);

/// The same for row s drawn in proportion to weights[s]. Zero rows and rows of weight zero are never drawn.
/// REQUIRES: one weight for each row, finite and not negative.
double kaczmarz_rate(const Rows& rows, std::span<const double> weights);

}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a federation's data look like, for someone who may see all of it: norms, rank, rates, whether the equations
// contradict each other.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "fedrk/site.hpp"
#include "fedrk/system.hpp"
#include "linalg/random/row_sampler.hpp"

namespace fedrk {

struct ClientSurvey {
  std::size_t rows = 0;
  std::size_t zero_rows = 0;
  std::size_t nonzeros = 0;
  double smallest_norm = 0.0, largest_norm = 0.0;  // of rows that are not zero
  double weight = 0.0;                             // squared norm of all rows together
};

/// What needs all rows in one decomposition.
struct SpectrumSurvey {
  std::size_t rank = 0;
  double condition_number = 0.0;
  double rate_by_norm = 0.0, rate_uniform = 0.0;  // alpha of one Kaczmarz step on pooled rows
  double least_squares_residual = 0.0;            // relative; at rounding level when the system is consistent
};

ClientSurvey survey(const Client& client);

/// About how many operations `survey_spectrum` takes.
double spectrum_cost(std::span<const Client> clients);

SpectrumSurvey survey_spectrum(std::span<const Client> clients);

/// Whether the equations have a solution, but for rounding.
inline bool is_consistent(const SpectrumSurvey& spectrum) { return spectrum.least_squares_residual <= 1e-10; }

// How hard a system is for Kaczmarz steps. Needs all rows in one place, so it is for studies and for a look at one's
// own data, never for a server.

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

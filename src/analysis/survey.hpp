// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a federation's data look like, for someone who may see all of it: norms, rank, rates, whether the equations
// contradict each other.

#include <cstddef>
#include <optional>
#include <span>

#include "fedrk/site.hpp"

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

}  // namespace fedrk

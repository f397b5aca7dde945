// SPDX-License-Identifier: Apache-2.0
#pragma once

// What goes beyond the paper, each beside FedRK. A part adds its verdicts, figures and tables to the
// findings.

#include "experiments/experiment.hpp"

namespace fedrk::experiments {

/// Sums and memory on the Gaussian system of figure 1.
void compare_on_consistent(const Settings& settings, const Progress& progress, Findings& findings);

/// Full memory where the condition number is large.
void compare_on_ill_conditioned(const Settings& settings, const Progress& progress, Findings& findings);

/// Least squares on the contradicting equations of figure 3.
void compare_on_least_squares(const Settings& settings, const Progress& progress, Findings& findings);

/// Soft thresholding and a refit on the sparse problems of figure 2.
void compare_on_sparse(const Settings& settings, const Progress& progress, Findings& findings);

/// Shuffled rows where their lengths differ.
void compare_on_scaled_rows(const Settings& settings, const Progress& progress, Findings& findings);

}  // namespace fedrk::experiments

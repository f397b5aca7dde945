// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the paper proves, each against runs. A part adds its verdicts, figures and tables to the findings.

#include "experiments/experiment.hpp"
#include "experiments/support.hpp"

namespace fedrk::experiments {

/// E ||x_k - x*||^2 <= alpha^k ||x_0 - x*||^2 for randomized Kaczmarz with any row distribution.
void check_rate_of_kaczmarz(const Settings& settings, const Progress& progress, Findings& findings);

/// For tau = infinity and tau_g = 1 the expected error after one round, enumerated and measured.
void check_one_round(const Settings& settings, const Progress& progress, Findings& findings);

/// For tau = infinity the limit on an underdetermined system is the solution nearest to the start.
void check_limit(const Settings& settings, const Progress& progress, Findings& findings);

/// For tau = infinity and tau_g = 1 no round raises the error of a consistent system.
void check_no_round_raises_the_error(const Settings& settings, const Progress& progress, Findings& findings);

}  // namespace fedrk::experiments

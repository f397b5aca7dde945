// SPDX-License-Identifier: Apache-2.0
#pragma once

// The verdicts on what goes beyond the paper, as functions of the numbers they judge.

#include <cstddef>
#include <span>
#include <string>

#include "experiments/experiment.hpp"
#include "experiments/judgements_fig1.hpp"

namespace fedrk::experiments {

/// `subject` gets to `level`, and `other` takes at least `by` times as many rounds. One that does not get there takes
/// at least one more than it made.
Judgement takes_fewer_rounds(const ErrorCurve& subject, const ErrorCurve& other, double level, double by);

/// Every curve is at `level` after `rounds` rounds at the latest.
Judgement arrives_within(std::string claim, std::span<const ErrorCurve> curves, double level, std::size_t rounds);

/// None of the curves comes below `level` in the second half of its rounds.
Judgement stays_above(std::string claim, std::span<const ErrorCurve> curves, double level);

/// In how many instances the largest entries are the true ones.
Judgement supports_are_found(std::string claim, std::size_t found, std::size_t instances, std::size_t lowest);

/// All of `ratios` are at most `most`.
Judgement ratios_at_most(std::string claim, std::span<const double> ratios, double most);

/// `scaled` takes at most `most` times the rounds to `level` that `plain` takes, and both get there.
Judgement scaling_hardly_matters(const ErrorCurve& plain, const ErrorCurve& scaled, double level, double most);

}  // namespace fedrk::experiments

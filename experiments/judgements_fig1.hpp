// SPDX-License-Identifier: Apache-2.0
#pragma once

// The verdicts on figure 1, as functions of the numbers they judge.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/experiment.hpp"

namespace fedrk::experiments {

/// The error after every round of one run.
struct ErrorCurve {
  std::string label;
  std::vector<double> errors;
};

/// After `round` rounds each curve is below the one before it, or above by less than the factor `slack`; the last is
/// below the first by far.
Judgement more_steps_are_faster(std::span<const ErrorCurve> curves, std::size_t round, double slack);

/// Each curve needs the expected number of rounds to `level`, up to the share `tolerance`.
Judgement rounds_agree(std::span<const ErrorCurve> curves, double level, std::span<const double> expected,
                       double tolerance);

/// On a straight line in the logarithm equal factors take equal rounds: the way from 1e-3 to 10^-4.5 is compared with
/// that from there to 1e-6, which every curve has to reach.
Judgement error_falls_linearly(std::span<const ErrorCurve> curves, double tolerance);

/// At the end `subject` is below every one of `others` by at least the factor `by`.
Judgement ends_below(const ErrorCurve& subject, std::span<const ErrorCurve> others, double by);

/// The error at the end of `other` over that of `subject`, in `ratios` for each of several instances, is above `lowest`
/// in the mean.
Judgement keeps_up(std::string_view subject, std::string_view other, std::span<const double> ratios, double lowest);

/// In each tenth of the run the error falls, and the last tenth still takes at least `share` of the mean tenth's way,
/// in the logarithm. A run that comes down to 1e-12 is judged before that, as what follows is rounding; one that is
/// there within ten rounds holds.
Judgement decays_steadily(const ErrorCurve& curve, double share);

}  // namespace fedrk::experiments

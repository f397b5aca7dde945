// SPDX-License-Identifier: Apache-2.0
#pragma once

// What differential privacy will cost, told before anything is spent: the same mechanism, with the same clips and
// shares of noise, run on made-up rows of the same shape. It looks at no data.
//
// The made-up columns are standard Gaussian, so is the solution, and b carries noise of 0.5. Where columns or solution
// have another scale than one, or columns are nearly dependent, a run does worse than its forecast.

#include "methods/privacy_plan.hpp"

namespace fedrk {

struct PrivacyForecast {
  double relative_error = 0.0;  // to the least-squares solution: the median over a few tries
  double sigma = 0.0;           // noise in the sum of the last round
};

/// A plan with a forecast above this is hopeless: its answer would be noise.
constexpr double kHopeless = 0.5;

/// Where the shape is large the tries have fewer rows with longer clips, so that a pass goes as far and the noise is
/// the same: a little pessimistic, and done within a second or so.
PrivacyForecast forecast(const privacy::PrivacyPlan& plan, const privacy::PublicShape& shape);

}  // namespace fedrk

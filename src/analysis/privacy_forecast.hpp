// SPDX-License-Identifier: Apache-2.0
#pragma once

// What differential privacy will cost, told before anything is spent: the same mechanism, with the same clips and
// shares of noise, run on made-up rows of the same shape. It looks at no data.
//
// The made-up columns are standard Gaussian, so is the solution, and b carries noise of 0.5. Where columns or solution
// have another scale than one, or columns are nearly dependent, a run does worse than its forecast.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "methods/privacy_plan.hpp"

namespace fedrk {

struct PrivacyForecast {
  double relative_error = 0.0;  // to the least-squares solution: the median over a few tries
  double sigma = 0.0;           // noise in the sum of the last round
};

/// A plan with a forecast above this is hopeless: its answer would be noise.
constexpr double kHopeless = 0.5;

/// Where the shape is large the tries have fewer rows with longer clips, so that a pass goes as far and the noise is
/// the same; that such passes hover more is taken off. Done within a second or so.
PrivacyForecast forecast(const privacy::PrivacyPlan& plan, const privacy::PublicShape& shape);

/// Likewise with fewer rows and less noise. Where a few rows for each column would take too long, by the first order in
/// the noise.
PrivacyForecast forecast(const privacy::GramPlan& plan, const privacy::PublicShape& shape);

/// Which mechanism a plan takes, and why.
struct MechanismChoice {
  privacy::PrivacyOptions options{};  // with the mechanism, and the row clip of a Gram sum
  PrivacyForecast forecast{};
  std::optional<double> other{};  // relative error of the other mechanism, where there was a choice
  std::size_t rounds = 1, min_answers = 0;
};

/// What the options say; where they leave it open, the mechanism with the smaller forecast, and for a Gram sum the best
/// of a few row clips. A Gram sum needs all clients in one sum. A clip is for one mechanism, so it decides too. Follows
/// from its arguments alone. Throws InvalidArgument where no plan can be made.
MechanismChoice choose_mechanism(const privacy::PrivacyOptions& options, const privacy::PublicShape& shape,
                                 std::uint32_t rounds);

}  // namespace fedrk

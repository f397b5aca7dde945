// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a run of a plan would do, in words, before it does it.

#include <cstddef>
#include <optional>
#include <string>

#include "analysis/survey.hpp"
#include "plan/federation.hpp"

namespace fedrk::api {

struct ProblemSize {
  std::size_t rows, unknowns, clients;
};

/// The forecast of the error under differential privacy, or why the plan would be refused; empty for other plans.
std::string forecast_text(const io::Plan& plan, const io::Federation& federation);

/// The method that would run, as far as the equations tell it beforehand. `forecast` as above.
std::string method_text(const io::Plan& plan, const ProblemSize& size, const std::optional<SpectrumSurvey>& spectrum,
                        const std::string& forecast);

}  // namespace fedrk::api

// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a plan with an epsilon is worth, told before anything is asked of the rows.

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "analysis/privacy_forecast.hpp"
#include "fedrk/engine.hpp"
#include "plan/plan.hpp"

namespace fedrk::api {

/// Its mechanism; nothing for plans without an epsilon. Throws InvalidArgument, with the numbers and what would help,
/// where the plan is hopeless or cannot be made.
std::optional<MechanismChoice> mechanism_of(const io::Plan& plan, std::span<const ClientSummary> roster,
                                            std::size_t unknowns);

/// The forecast of its error, in a sentence that says which mechanism and why; empty for plans without an epsilon.
/// Throws as `mechanism_of`.
std::string privacy_forecast_text(const io::Plan& plan, std::span<const ClientSummary> roster, std::size_t unknowns);

/// What a run in one process does not do.
inline constexpr const char* kPrivacyTrial =
    "This was a trial of differential privacy in one process: its answer has the noise that --epsilon asks for, but "
    "this "
    "process has read everybody's rows, and its noise follows from the seed. Rows are protected where each owner runs "
    "its own fedrk client.";

}  // namespace fedrk::api

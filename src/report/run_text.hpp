// SPDX-License-Identifier: Apache-2.0
#pragma once

// A finished run as a person reads it.

#include <string>
#include <string_view>

#include "analysis/horizon.hpp"
#include "plan/plan.hpp"
#include "report/result_files.hpp"

namespace fedrk::api {

/// A solved system for a person: how it ended, what it cost, the largest or most selected unknowns.
std::string solve_text(const io::FinishedRun& run);

/// A fit for a person: what was fitted, the table of estimates, how well they fit, what it cost. Of very many estimates
/// only some are shown; `elsewhere` then says where the others are.
std::string fit_text(const io::FinishedRun& run, std::string_view elsewhere = "");

/// What became of the residual, in words for a person: whether the run hovers, why that may be, and which options help.
/// `ended_early`: a tolerance was asked for and not reached.
io::Convergence convergence_of(const Horizon& horizon, const io::Plan& plan, bool ended_early);

}  // namespace fedrk::api

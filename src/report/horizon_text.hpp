// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/horizon.hpp"
#include "plan/plan.hpp"
#include "report/result_files.hpp"

namespace fedrk::api {

/// What became of the residual, in words for a person: whether the run hovers, why that may be, and which options help.
/// `ended_early`: a tolerance was asked for and not reached.
io::Convergence convergence_of(const Horizon& horizon, const io::Plan& plan, bool ended_early);

}  // namespace fedrk::api

// SPDX-License-Identifier: Apache-2.0
#pragma once

// What fit and solve share.

#include <cmath>
#include <cstddef>

#include "api/run_plan.hpp"
#include "fedrk/error.hpp"

namespace fedrk::api {

/// Settings that both have, as entries of a plan. Throws InvalidArgument.
template <class Settings>
void put_into(const Settings& settings, io::Plan& plan) {
  const auto is_not_negative = [](double value) { return std::isfinite(value) && value >= 0.0; };
  if (!is_not_negative(settings.ridge)) throw InvalidArgument("ridge: expected a number of 0 or more");
  if (!is_not_negative(settings.tolerance.value_or(0.0))) {
    throw InvalidArgument("tolerance: expected a number of 0 or more");
  }
  plan.method.ridge = settings.ridge;
  plan.run.participants = settings.participants;
  plan.run.seed = settings.seed;
  plan.tolerance = settings.tolerance;
  plan.rounds = settings.rounds;
}

/// The clients of these tables in this process, and what came of the plan with them. Throws InvalidArgument where the
/// plan cannot be carried out, and InvalidData where the rows cannot be used.
io::FinishedRun run_in_process(const io::Plan& plan, io::ClientTables tables, std::size_t threads,
                               const RunPlanOptions& options);

}  // namespace fedrk::api

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string>

#include "fedrk/error.hpp"
#include "fedrk/run.hpp"

namespace fedrk {

void RunOptions::validate(std::size_t clients, std::size_t unknowns) const {
  if (clients == 0) throw InvalidArgument("a run needs at least one client");
  if (unknowns <= noise_columns) throw InvalidArgument("a run needs at least one unknown besides the noise columns");
  if (rounds == 0) throw InvalidArgument("a run needs at least one round");
  if (participants > clients) {
    throw InvalidArgument(std::to_string(participants) + " participants a round cannot be drawn from " +
                          std::to_string(clients) + " clients");
  }
  if (sparsity > unknowns - noise_columns) {
    throw InvalidArgument("cannot keep " + std::to_string(sparsity) + " entries: there are only " +
                          std::to_string(unknowns - noise_columns) + " unknowns");
  }
  if (!(tolerance >= 0.0) || !std::isfinite(tolerance)) throw InvalidArgument("the tolerance must be zero or positive");
  for (const StepBudget& budget : {local_budget, server_budget}) {
    if (budget == StepBudget{FixedSteps{0}}) throw InvalidArgument("clients and server need at least one step");
  }
}

std::uint32_t residual_interval(std::span<const ClientSummary> roster, const RunOptions& options) {
  const auto* steps = std::get_if<FixedSteps>(&options.local_budget);
  if (steps == nullptr) return 1;
  std::size_t max_rows = 0;
  for (const ClientSummary& client : roster) max_rows = std::max(max_rows, client.rows);
  const double cheap = std::ceil(static_cast<double>(max_rows) / (0.5 * static_cast<double>(steps->count)));
  // At least a dozen reports for each verdict on stagnation, and some fifty in a run.
  std::uint32_t longest = std::max(1U, options.rounds / 50);
  if (options.patience > 0) longest = std::min(longest, std::max(1U, options.patience / 12));
  return static_cast<std::uint32_t>(std::clamp(cheap, 1.0, static_cast<double>(longest)));
}

}  // namespace fedrk

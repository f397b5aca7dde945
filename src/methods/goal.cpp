// SPDX-License-Identifier: Apache-2.0
#include "methods/goal.hpp"

#include <algorithm>

#include "kaczmarz/local_solver.hpp"

namespace fedrk {

Reveal reveal_of(const Goal& goal) {
  if (is<FedRk>(goal)) return Reveal::Updates;
  if (const auto* equations = std::get_if<Equations>(&goal)) return equations->reveal;
  if (const auto* sparse = std::get_if<SparseEquations>(&goal)) return sparse->reveal;
  return Reveal::Sums;
}

bool ends_by_itself(const Goal& goal) {
  if (const auto* equations = std::get_if<Equations>(&goal)) return equations->memory > 0;
  return is<LeastSquares>(goal) || is<Private>(goal);
}

StepBudget default_local_budget(const Goal& goal, std::span<const ClientSummary> roster, std::size_t gram_memory) {
  if (is<FedRk>(goal) || is<SparseEquations>(goal)) return FixedSteps{20};
  std::size_t rows = 1;
  for (const ClientSummary& client : roster) rows = std::max(rows, client.rows);
  if (is<Private>(goal)) return FixedSteps{rows};  // a pass
  const bool cheap = StepOptions{.gram_memory = gram_memory}.gram_fits(rows);
  return FixedSteps{(cheap ? 8 : 2) * static_cast<std::uint64_t>(rows)};
}

std::uint32_t default_rounds(const Goal& goal, const RunOptions& run, std::size_t clients) {
  if (is<Private>(goal)) return privacy::kUsualRounds;
  if (!is<LeastSquares>(goal) || run.participants == 0) return RunOptions{}.rounds;
  const auto groups = static_cast<std::uint32_t>(std::max<std::size_t>(1, clients / run.participants + 1));
  return RunOptions{}.rounds * groups;
}

RowSampling default_sampling(const Goal& goal) {
  return is<FedRk>(goal) ? RowSampling::SquaredNorm : RowSampling::Shuffled;
}

RunOptions run_options_for(const Goal& goal, RunOptions run) {
  if (!ends_by_itself(goal)) return run;
  run.patience = 0;
  if (is<Private>(goal)) {
    run.residual_every = RunOptions::kNever;
    run.tolerance = 0.0;
    if (std::get<Private>(goal).options.mechanism == privacy::Mechanism::Gram) run.rounds = 1;
  } else if (run.residual_every == 0) {
    run.residual_every = 1;
  }
  return run;
}

}  // namespace fedrk

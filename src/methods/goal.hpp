// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a run is to find. A plan says it by entries of which some go together and some do not (method_options.hpp);
// `goal_of` decides once which of these goals is meant, and whatever comes after asks the goal alone.

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "fedrk/engine.hpp"
#include "fedrk/run.hpp"
#include "methods/privacy_plan.hpp"

namespace fedrk {

enum class MethodName { Auto, Fedrk, Gram, Cg };

/// A solution of equations that have one, by hyperplanes that hold every solution.
struct Equations {
  Reveal reveal = Reveal::Sums;
  std::size_t memory = 5;  // past rounds whose hyperplanes count on; HyperplaneMemory::kAll
  bool grows = true;       // to all rounds, where these converge slowly
};

/// min ||Ax - b||^2 + ridge ||x||^2
struct LeastSquares {
  double ridge = 0.0;
  MethodName by = MethodName::Auto;  // Gram, Cg, or the quicker one
  bool data = false;                 // a regression: nobody expects the equations to hold
};

/// Algorithm 1 of the paper to the letter, with its hard thresholding and noise columns (RunOptions).
struct FedRk {};

/// A sparse solution of equations: min lambda ||x||_1 + ||x||^2 / 2 where Ax = b.
struct SparseEquations {
  double lambda = 0.0;
  Reveal reveal = Reveal::Sums;
};

/// The mean of clipped passes with noise, or a solution from one noisy Gram sum, under differential privacy.
struct Private {
  privacy::PrivacyOptions options;
};

using Goal = std::variant<Equations, LeastSquares, FedRk, SparseEquations, Private>;

template <class Kind>
bool is(const Goal& goal) {
  return std::holds_alternative<Kind>(goal);
}

/// What the server sees of a round.
Reveal reveal_of(const Goal& goal);

/// Its method knows itself when it has arrived; others end by their rounds, a tolerance, or when the residual falls no
/// further.
bool ends_by_itself(const Goal& goal);

// ---- What a plan leaves open.

/// tau: 20 in FedRK and the sparse method, as in the paper; else so many that another round of steps would hardly move
/// x, eight passes over the rows, two where they are costly, one with epsilon.
StepBudget default_local_budget(const Goal& goal, std::span<const ClientSummary> roster, std::size_t gram_memory);

/// T: what suits differential privacy; a thousand sweeps over the groups of clients for a fit; else as RunOptions has
/// it.
std::uint32_t default_rounds(const Goal& goal, const RunOptions& run, std::size_t clients);

/// Rows by squared norm in FedRK, shuffled in other methods.
RowSampling default_sampling(const Goal& goal);

/// `run` as the method of this goal wants it: no end by stagnation for those who know themselves when they have
/// arrived, and, unless somebody said otherwise, residuals in every round for those who watch them. With differential
/// privacy no residuals at all, and one round where it asks for one sum.
RunOptions run_options_for(const Goal& goal, RunOptions run);

}  // namespace fedrk

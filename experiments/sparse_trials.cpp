// SPDX-License-Identifier: Apache-2.0
#include "experiments/sparse_trials.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "experiments/support.hpp"
#include "fedrk/in_process_engine.hpp"
#include "fedrk/run.hpp"

namespace fedrk::experiments {
namespace {

bool recovered(const GeneratedProblem& problem, const std::vector<bool>& chosen) {
  for (std::size_t j = 0; j < chosen.size(); ++j) {
    if (problem.solution[j] != 0.0 && !chosen[j]) return false;
  }
  return true;
}

double smallest_entry(const GeneratedProblem& problem) {
  double smallest = std::numeric_limits<double>::infinity();
  for (const double value : problem.solution) {
    if (value != 0.0) smallest = std::min(smallest, std::abs(value));
  }
  return smallest;
}

}  // namespace

GeneratedProblem sparse_instance(const SparseSize& size, std::uint64_t seed) {
  return generate({.kind = ProblemKind::Sparse,
                   .rows = size.rows,
                   .cols = size.cols,
                   .nonzeros = size.nonzeros,
                   .noise = kSparseNoise,
                   .seed = seed});
}

std::vector<bool> selected(const SparseSize& size, const GeneratedProblem& problem, std::uint64_t seed) {
  InProcessEngine engine(clients_of(copy_of(problem.system), size.clients, seed), 1);
  RunOptions options;  // tau = tau_g = 20
  options.seed = seed;
  options.rounds = size.rounds;
  options.participants = size.participants;
  options.sparsity = size.nonzeros;
  const auto result = FederatedRun(options).run(engine, gaussian_vector(size.cols, seed));
  std::vector<bool> chosen(size.cols);
  for (std::size_t j = 0; j < size.cols; ++j) chosen[j] = result.x[j] != 0.0;
  return chosen;
}

std::vector<EntryCount> count(const GeneratedProblem& problem, const std::vector<std::vector<bool>>& trials) {
  std::vector<EntryCount> counts(problem.solution.size());
  for (std::size_t j = 0; j < counts.size(); ++j) {
    counts[j].size = std::abs(problem.solution[j]);
    for (const auto& chosen : trials) counts[j].selected += chosen[j] ? 1U : 0U;
  }
  return counts;
}

InstanceResult try_instance(const SparseSize& size, std::uint64_t seed) {
  const GeneratedProblem problem = sparse_instance(size, seed);
  InstanceResult result{.smallest = smallest_entry(problem), .recovered = 0, .missed = {}};
  for (std::size_t k = 0; k < size.trials_each; ++k) {
    const auto chosen = selected(size, problem, trial_seed(seed, k));
    result.recovered += recovered(problem, chosen) ? 1U : 0U;
    for (std::size_t j = 0; j < chosen.size(); ++j) {
      if (problem.solution[j] != 0.0 && !chosen[j]) result.missed.push_back(std::abs(problem.solution[j]));
    }
  }
  return result;
}

}  // namespace fedrk::experiments

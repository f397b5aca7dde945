// SPDX-License-Identifier: Apache-2.0
#pragma once

// The trials of figure 2: a sparse solution, recovered by thresholding from some start with some draws.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "experiments/judgements.hpp"
#include "fedrk/generate.hpp"

namespace fedrk::experiments {

inline constexpr double kSparseNoise = 0.01;  // on the right-hand side

struct SparseSize {
  std::size_t rows = 256, cols = 1024, nonzeros = 9, clients = 16, participants = 5;
  std::uint32_t rounds = 1000;
  std::size_t trials = 50;
  std::size_t instances = 20, trials_each = 5;
};

GeneratedProblem sparse_instance(const SparseSize& size, std::uint64_t seed);

/// Which entries are not zero at the end of a trial with its own start and its own draws.
std::vector<bool> selected(const SparseSize& size, const GeneratedProblem& problem, std::uint64_t seed);

/// How often each entry was selected.
std::vector<EntryCount> count(const GeneratedProblem& problem, const std::vector<std::vector<bool>>& trials);

struct InstanceResult {
  double smallest = 0.0;
  std::size_t recovered = 0;
  std::vector<double> missed;  // sizes of true entries that a trial did not select
};

/// An instance of its own and some trials on it.
InstanceResult try_instance(const SparseSize& size, std::uint64_t seed);

}  // namespace fedrk::experiments

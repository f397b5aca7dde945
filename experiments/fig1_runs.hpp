// SPDX-License-Identifier: Apache-2.0
#pragma once

// The problem of figure 1 and runs on it, for FedRK and for what it is compared with.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "experiments/experiment.hpp"
#include "experiments/judgements_fig1.hpp"
#include "experiments/support.hpp"
#include "fedrk/generate.hpp"
#include "fedrk/in_process_engine.hpp"

namespace fedrk::experiments {

struct Fig1Problem {
  std::size_t rows = 2048, cols = 1024, clients = 16, participants = 5;
  std::uint32_t rounds = 1000;
};

class Fig1Runs {
 public:
  Fig1Runs(const Fig1Problem& problem, const Settings& settings);

  Engine& engine() { return engine_; }
  RunOptions options() const;

  /// Errors after every round of FedRK, or of another.
  std::vector<double> fedrk(std::uint64_t local_steps, const Stretch& stretch);
  std::vector<double> other(Method& method, const Stretch& stretch);

  /// The set-up in a sentence.
  std::string text() const;
  Figure figure(std::string name, std::span<const ErrorCurve> curves, std::string caption) const;
  Table table(std::string name, std::span<const ErrorCurve> curves) const;

 private:
  Fig1Runs(const Fig1Problem& problem, const Settings& settings, GeneratedProblem made);

  Fig1Problem problem_;
  std::uint64_t seed_;
  std::vector<double> truth_;
  InProcessEngine engine_;
};

}  // namespace fedrk::experiments

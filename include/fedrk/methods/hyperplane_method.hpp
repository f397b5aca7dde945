// SPDX-License-Identifier: Apache-2.0
#pragma once

// FedRK with valid hyperplanes: each holds every solution, whatever tau, and so does their sum. The server needs to see
// no more than one sum a round, s = sum Delta_i with gap gamma = sum gamma_i, and projects onto the hyperplanes of the
// last rounds together (hyperplane_memory.hpp).
//
// It is for systems that have a solution. Where the equations contradict each other the stored hyperplanes do too; that
// is noticed, the memory given up, and the run goes on from the best point it had by the mean of the displacements,
// which hovers closest to the least-squares solution.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fedrk/federated/method.hpp"
#include "fedrk/federated/server_step.hpp"
#include "fedrk/federated/threshold.hpp"
#include "fedrk/methods/hyperplane_memory.hpp"
#include "fedrk/methods/progress_judge.hpp"
#include "fedrk/methods/roll.hpp"

namespace fedrk {

struct HyperplaneOptions {
  StepBudget local_budget = FixedSteps{20};  // tau
  Reveal reveal = Reveal::Sums;
  std::size_t memory = 5;                           // rounds besides the present one; HyperplaneMemory::kAll
  std::size_t memory_limit = std::size_t{1} << 30;  // bytes
  // Without memory the server steps over the hyperplanes of the round, as in the published method.
  StepBudget server_budget = FixedSteps{20};  // tau_g
  RowSampling server_sampling = RowSampling::Uniform;
  std::uint64_t seed = 1;
  std::size_t sparsity = 0;       // s; 0: no thresholding
  std::size_t noise_columns = 0;  // which no thresholding touches
};

class HyperplaneMethod final : public Method {
 public:
  HyperplaneMethod(const HyperplaneOptions& options, std::size_t clients);

  Request request(RoundIndex t, std::span<const double> x) override;
  void update(RoundIndex t, RoundReplies& round, std::span<double> x) override;
  /// When nobody moves x any more.
  bool finished() const override { return solved_ || quiet_.complete(); }
  std::vector<std::string> notes() const override { return notes_; }

  /// True from where the equations were found to contradict each other.
  bool contradicted() const { return contradicted_; }

  const ProgressJudge& judge() const { return judge_; }

 private:
  void move(RoundIndex t, RoundReplies& round, std::span<double> x);
  void see_who_is_quiet(const RoundReplies& round, double moved, std::span<const double> x);
  void look_back(RoundIndex t, const RoundReplies& round, std::span<const double> before, std::span<double> x);
  void give_up_memory(RoundIndex t);

  HyperplaneOptions options_;
  ServerStep server_;
  std::optional<HyperplaneMemory> memory_;
  Threshold threshold_;
  ProgressJudge judge_;
  Roll quiet_;  // clients whose answers moved x by rounding alone
  bool solved_ = false, contradicted_ = false;
  std::vector<std::string> notes_;
};

}  // namespace fedrk

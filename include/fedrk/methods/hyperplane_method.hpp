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
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "fedrk/federated/method.hpp"
#include "fedrk/federated/server_step.hpp"
#include "fedrk/federated/threshold.hpp"
#include "fedrk/methods/hyperplane_memory.hpp"
#include "fedrk/methods/residual_sweep.hpp"
#include "fedrk/methods/roll.hpp"
#include "fedrk/methods/step_watch.hpp"

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

  /// True while the residual of everyone has not fallen for long: too slow to wait for, or about to show why.
  bool stalled() const { return stalled_; }

  std::size_t rounds() const { return rounds_; }

  /// How many rounds it would take, as it went so far, until the residual is at rounding; nothing before that can be
  /// told.
  std::optional<double> rounds_to_go() const;

 private:
  void look_back(const RoundReplies& round, std::span<const double> before, std::span<double> x);
  bool has_run_away(double moved, std::span<const double> x);
  void take_the_pace();
  bool is_much_worse(const RoundReplies& round, std::span<const double> x);
  void move(RoundIndex t, RoundReplies& round, std::span<double> x);
  void give_up_memory(RoundIndex t, std::span<double> x);

  HyperplaneOptions options_;
  ServerStep server_;
  std::optional<HyperplaneMemory> memory_;
  Threshold threshold_;
  StepWatch watch_;
  Roll quiet_;  // clients whose answers moved x by rounding alone
  bool solved_ = false, contradicted_ = false, stalled_ = false;
  std::size_t since_best_ = 0;  // reports
  std::size_t rounds_ = 0, pace_from_ = 0;
  double pace_level_ = 0.0;
  std::optional<double> fall_;  // of the logarithm of the residual, in a round
  ResidualSweep sweep_;
  double first_step_ = 0.0, first_level_ = 0.0, last_level_ = 0.0;
  double best_level_ = std::numeric_limits<double>::infinity();
  AlignedVector best_;  // x where it was found; at first the start
  std::vector<std::string> notes_;
};

}  // namespace fedrk

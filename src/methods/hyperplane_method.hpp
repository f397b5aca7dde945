// SPDX-License-Identifier: Apache-2.0
#pragma once

// FedRK with valid hyperplanes: each holds every solution, whatever tau, and so does their sum. The server needs to see
// no more than one sum a round, s = sum Delta_i with gap gamma = sum gamma_i, and projects onto the hyperplanes of the
// last rounds together (hyperplane_memory.hpp). Where a few rounds are too slow, it keeps all of them.
//
// It is for equations that have a solution. Where they contradict each other the stored hyperplanes do too: x runs away
// or hovers, the monitor notices, and the method ends at the best point it had.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fedrk/method.hpp"
#include "methods/convergence_monitor.hpp"
#include "methods/hyperplane_memory.hpp"
#include "round/server_step.hpp"

namespace fedrk {

struct HyperplaneOptions {
  StepBudget local_budget = FixedSteps{20};  // tau
  Reveal reveal = Reveal::Sums;
  std::size_t memory = 5;                           // rounds besides the present one; HyperplaneMemory::kAll
  bool grows = false;                               // keeps all rounds where these are too slow
  std::size_t memory_limit = std::size_t{1} << 30;  // bytes
  // Without memory the server steps over the hyperplanes of the round, as in FedRK.
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
  /// When nobody moves x any more, or when the equations contradict each other.
  bool finished() const override { return finished_; }
  bool contradictory() const override { return contradictory_; }
  std::string_view name() const override { return "hyperplanes"; }
  std::vector<std::string> notes() const override;
  bool state(StateStream& stream) override;

 private:
  void move(RoundIndex t, RoundReplies& round, std::span<double> x);
  void look_back(RoundIndex t, const RoundReplies& round, std::span<const double> before, std::span<double> x);
  void begin_again(std::size_t memory, std::span<double> x);
  bool remembers_all() const { return options_.memory == HyperplaneMemory::kAll; }
  bool has_had_its_time(std::size_t unknowns) const;

  HyperplaneOptions options_;
  ServerStep server_;
  std::optional<HyperplaneMemory> memory_;
  Threshold threshold_;
  ConvergenceMonitor monitor_;
  bool finished_ = false, contradictory_ = false;
  std::size_t restarts_ = 0;
  std::optional<RoundIndex> grown_, ended_;
};

}  // namespace fedrk

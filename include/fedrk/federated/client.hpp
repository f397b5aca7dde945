// SPDX-License-Identifier: Apache-2.0
#pragma once

// An owner of rows. It starts at the x it is sent, runs tau randomized Kaczmarz steps on its own rows, and answers with
// the displacement alone; A_i and b_i stay here.

#include <cstdint>
#include <optional>
#include <string>

#include "fedrk/base/client_id.hpp"
#include "fedrk/federated/engine.hpp"
#include "fedrk/linalg/row_space.hpp"
#include "fedrk/problem/row_block.hpp"
#include "fedrk/random/row_sampler.hpp"

namespace fedrk {

class Client {
 public:
  /// `seed` is the client's own: a server that knows it can repeat the draws and read the rows.
  Client(ClientId id, std::string name, RowBlock block, std::uint64_t seed,
         RowSampling sampling = RowSampling::SquaredNorm);

  ClientSummary summary() const;
  const RowBlock& block() const { return block_; }

  /// Depends on the task and the client alone: asked again, it answers the same. One call at a time.
  LocalReply local_update(const LocalTask& task);

 private:
  std::vector<double> answer(const FixedSteps& steps, const LocalTask& task);
  std::vector<double> answer(const UntilProjected& projection, const LocalTask& task);
  std::vector<double> answer(const GradientSteps& steps, const LocalTask& task);
  std::vector<double> answer(const Gradient& work, const LocalTask& task);
  std::vector<double> answer(const NormalProduct& work, const LocalTask& task);
  std::vector<double> answer(const GramSum& work, const LocalTask& task);
  std::vector<double> answer(const Curvature& work, const LocalTask& task);
  std::vector<double> answer(const AllRows& work, const LocalTask& task);
  template <class Move>
  std::vector<double> displacement(const LocalTask& task, const Move& move);

  double residual_of_answer(const LocalTask& task) const;
  void run_steps(FixedSteps steps, RoundIndex round, std::span<double> x) const;
  void project_exactly(std::span<double> x);

  ClientId id_;
  std::string name_;
  RowBlock block_;
  std::uint64_t seed_;
  RowSampler sampler_;
  std::optional<RowSpaceProjection> projection_;  // made when first asked for
};

}  // namespace fedrk

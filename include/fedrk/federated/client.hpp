// SPDX-License-Identifier: Apache-2.0
#pragma once

// An owner of rows. It starts at the x it is sent, runs tau randomized Kaczmarz steps on its own rows, and answers with
// the displacement alone; A_i and b_i stay here.

#include <cstdint>
#include <optional>
#include <string>

#include "fedrk/base/client_id.hpp"
#include "fedrk/federated/engine.hpp"
#include "fedrk/kaczmarz/local_form.hpp"
#include "fedrk/linalg/row_space.hpp"
#include "fedrk/problem/row_block.hpp"
#include "fedrk/random/row_sampler.hpp"

namespace fedrk {

/// How a client makes its steps: part of a plan, as each choice shows in the bits of the result.
struct StepOptions {
  RowSampling sampling = RowSampling::SquaredNorm;
  LocalForm form = LocalForm::Auto;
  std::size_t gram_memory = std::size_t{256} << 20;  // bytes that the inner products of the rows may take
};

class Client {
 public:
  /// `seed` is the client's own: a server that knows it can repeat the draws and read the rows. Throws InvalidArgument
  /// where the gram form was asked for and does not fit its memory.
  Client(ClientId id, std::string name, RowBlock block, std::uint64_t seed, StepOptions steps = {});

  ClientSummary summary() const;
  const RowBlock& block() const { return block_; }

  /// Depends on the task and the client alone: asked again, it answers the same. One call at a time.
  LocalReply local_update(const LocalTask& task);

 private:
  AlignedVector answer(const FixedSteps& steps, const LocalTask& task);
  AlignedVector answer(const UntilProjected& projection, const LocalTask& task);
  AlignedVector answer(const GradientSteps& steps, const LocalTask& task);
  AlignedVector answer(const Gradient& work, const LocalTask& task);
  AlignedVector answer(const NormalProduct& work, const LocalTask& task);
  AlignedVector answer(const GramSum& work, const LocalTask& task);
  AlignedVector answer(const Curvature& work, const LocalTask& task);
  AlignedVector answer(const AllRows& work, const LocalTask& task);
  template <class Move>
  AlignedVector displacement(const LocalTask& task, const Move& move);

  LocalForm form_for(FixedSteps steps) const;
  double residual_of_answer(const LocalTask& task) const;
  void project_exactly(std::span<double> x);

  ClientId id_;
  std::string name_;
  RowBlock block_;
  std::uint64_t seed_;
  StepOptions steps_;
  RowSampler sampler_;
  std::optional<Matrix> gram_;  // made when first needed, as is the projection
  std::optional<RowSpaceProjection> projection_;
};

}  // namespace fedrk

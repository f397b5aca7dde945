// SPDX-License-Identifier: Apache-2.0
#pragma once

// An owner of rows. It starts at the x it is sent, runs tau randomized Kaczmarz steps on its own rows, and answers with
// the displacement alone; A_i and b_i stay here.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fedrk/base/client_id.hpp"
#include "fedrk/federated/engine.hpp"
#include "fedrk/federated/local_solver.hpp"

namespace fedrk {

class Client {
 public:
  /// `seed` is the client's own: a server that knows it can repeat the draws and read the rows. Throws InvalidArgument
  /// where steps in coefficient space were asked for and the inner products do not fit the memory that they were given.
  Client(ClientId id, std::string name, RowBlock block, std::uint64_t seed, StepOptions steps = {});

  ClientSummary summary() const;
  const RowBlock& block() const { return all_.block(); }

  /// Depends on the task and the client alone: asked again, it answers the same. One call at a time.
  LocalReply local_update(const LocalTask& task);

 private:
  void answer(const FixedSteps& steps, const LocalTask& task, LocalReply& reply);
  void answer(const UntilProjected& projection, const LocalTask& task, LocalReply& reply);
  void answer(const ValidSteps& steps, const LocalTask& task, LocalReply& reply);
  void answer(const SparseSteps& steps, const LocalTask& task, LocalReply& reply);
  void answer(const GradientSteps& steps, const LocalTask& task, LocalReply& reply);
  void answer(const Gradient& work, const LocalTask& task, LocalReply& reply);
  void answer(const NormalProduct& work, const LocalTask& task, LocalReply& reply);
  void answer(const GramSum& work, const LocalTask& task, LocalReply& reply);
  void answer(const Curvature& work, const LocalTask& task, LocalReply& reply);
  void answer(const ColumnNorms& work, const LocalTask& task, LocalReply& reply);
  void answer(const AllRows& work, const LocalTask& task, LocalReply& reply);
  void answer(const ClippedPass& pass, const LocalTask& task, LocalReply& reply);

  LocalSolver& solver_for(const LocalTask& task);
  double residual_of_answer(const LocalTask& task);
  std::span<const double> own(const LocalTask& task) const;
  RngStream stream(const LocalTask& task, Purpose purpose = Purpose::LocalSteps) const {
    return task.fresh_draws ? stream_for(*task.fresh_draws, purpose) : stream_for(seed_, purpose, task.round);
  }
  void relax(const LocalTask& task, LocalReply& reply) const;
  double relaxation(const LocalTask& task) const;
  void turn(LocalSolver& solver, const LocalTask& task, LocalReply& reply) const;

  /// The rows as far as they concern some of the unknowns: made when a task first asks for these.
  struct Part {
    std::vector<std::uint32_t> columns;
    LocalSolver solver;
  };

  ClientId id_;
  std::string name_;
  std::uint64_t seed_;
  LocalSolver all_;
  std::optional<Part> part_;
};

}  // namespace fedrk

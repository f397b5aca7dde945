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
#include "fedrk/problem/frame.hpp"

namespace fedrk {

class Client {
 public:
  /// `seed` is the client's own: a server that knows it can repeat the draws and read the rows. Throws InvalidArgument
  /// where steps in coefficient space were asked for and the inner products do not fit the memory that they were given.
  Client(ClientId id, std::string name, RowBlock block, std::uint64_t seed, StepOptions steps = {},
         std::optional<Frame> frame = {});

  ClientSummary summary() const;
  const RowBlock& block() const { return all_.block(); }

  /// Depends on the task and the client alone: asked again, it answers the same. One call at a time.
  LocalReply local_update(const LocalTask& task);

 private:
  friend class TaskRows;

  LocalSolver& solver_for(const LocalTask& task);
  const Frame* frame_for(const LocalTask& task);
  double residual_of_answer(const LocalTask& task);

  /// The rows as far as they concern some of the unknowns: made when a task first asks for these.
  struct Part {
    std::vector<std::uint32_t> columns;
    LocalSolver solver;
    std::optional<Frame> frame;
  };

  ClientId id_;
  std::string name_;
  std::uint64_t seed_;
  LocalSolver all_;
  std::optional<Frame> frame_;  // of the columns, for a fit
  std::optional<Part> part_;
};

/// A client's rows as one task sees them: what the function that answers it works with (src/federated/answers.cpp).
class TaskRows {
 public:
  TaskRows(Client& client, const LocalTask& task) : client_(client), task_(task) {}

  const LocalTask& task() const { return task_; }
  std::span<const double> x() const { return task_.x; }
  /// Of the columns that were asked for, as all of the following.
  LocalSolver& solver() { return client_.solver_for(task_); }
  const RowBlock& block() { return solver().block(); }
  const LinearSystem& system() { return block().system(); }
  const Frame* frame() { return client_.frame_for(task_); }
  /// What was sent to this client alone.
  std::span<const double> own() const {
    return task_.own.empty() ? std::span<const double>{} : task_.own[client_.id_.value];
  }
  RngStream stream(Purpose purpose = Purpose::LocalSteps) const {
    return task_.fresh_draws ? stream_for(*task_.fresh_draws, purpose)
                             : stream_for(client_.seed_, purpose, task_.round);
  }

 private:
  Client& client_;
  const LocalTask& task_;
};

}  // namespace fedrk

// SPDX-License-Identifier: Apache-2.0
#pragma once

// A client's rows as one task sees them: what the function that answers it works with (site.cpp).

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fedrk/site.hpp"
#include "kaczmarz/local_solver.hpp"
#include "linalg/random/rng_stream.hpp"
#include "problem/frame.hpp"

namespace fedrk {

struct Client::Impl {
  Impl(ClientId id_given, std::string name_given, RowBlock block, std::uint64_t seed_given, StepOptions steps,
       std::optional<Frame> frame_given);

  LocalSolver& solver_for(const LocalTask& task);
  const Frame* frame_for(const LocalTask& task);
  double residual_of_answer(const LocalTask& task);

  /// The rows as far as they concern some of the unknowns: made when a task first asks for these.
  struct Part {
    std::vector<std::uint32_t> columns;
    LocalSolver solver;
    std::optional<Frame> frame;
  };

  ClientId id;
  std::string name;
  std::uint64_t seed;
  LocalSolver all;
  std::optional<Frame> frame;
  std::optional<Part> part;
};

class TaskRows {
 public:
  TaskRows(Client& client, const LocalTask& task) : client_(*client.impl_), task_(task) {}

  const LocalTask& task() const { return task_; }
  std::span<const double> x() const { return task_.x; }
  /// Of the columns that were asked for, as all of the following.
  LocalSolver& solver() { return client_.solver_for(task_); }
  const RowBlock& block() { return solver().block(); }
  const LinearSystem& system() { return block().system(); }
  const Frame* frame() { return client_.frame_for(task_); }
  /// What was sent to this client alone.
  std::span<const double> own() const {
    return task_.own.empty() ? std::span<const double>{} : task_.own[client_.id.value];
  }
  RngStream stream(Purpose purpose = Purpose::LocalSteps) const {
    return task_.fresh_draws ? stream_for(*task_.fresh_draws, purpose) : stream_for(client_.seed, purpose, task_.round);
  }

 private:
  Client::Impl& client_;
  const LocalTask& task_;
};

}  // namespace fedrk

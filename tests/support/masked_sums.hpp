// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the server of a masked run sees, without a network: each answer is made with draws of its own that nobody knows,
// and only sums come back. Masks cancel in a sum, so it is the sum that the server of a real run unmasks. Asks whatever
// it is told to: no rule of the clients stands in between.

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "analysis/record_attack.hpp"
#include "fedrk/run.hpp"
#include "methods/method_options.hpp"
#include "round/groups.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk::test {

class MaskedSums final : public Engine {
 public:
  explicit MaskedSums(std::vector<Client> clients, std::uint64_t secret = 1)
      : clients_(std::move(clients)), secrets_(secret, Purpose::GeneratedSupport) {
    for (const Client& client : clients_) roster_.push_back(client.summary());
  }

  std::span<const ClientSummary> roster() const override { return roster_; }
  std::size_t dimension() const override { return clients_.front().block().cols(); }

  RoundReplies local_updates(const LocalTask& task, std::span<const ClientId> participants) override {
    RoundReplies round;
    LocalTask own = task;
    for (const ClientId id : participants) {
      own.fresh_draws = secrets_.next();
      round.replies.push_back(clients_[id.value].local_update(own));
      round.answered.push_back(id);
    }
    if (task.reveal != Reveal::Sums) throw std::logic_error("masked clients send sums");
    LocalReply sum = sum_of(task.work, std::move(round.replies));
    round.replies.clear();
    round.replies.push_back(std::move(sum));
    return round;
  }

 private:
  std::vector<Client> clients_;
  std::vector<ClientSummary> roster_;
  RngStream secrets_;
};

/// Everyone of a federation, or all but one.
inline std::vector<ClientId> everyone_but(const Engine& engine, std::size_t left_out = SIZE_MAX) {
  std::vector<ClientId> clients;
  for (const ClientSummary& client : engine.roster()) {
    if (client.id.value != left_out) clients.push_back(client.id);
  }
  return clients;
}

/// Whole numbers 0, 1, ... levels - 1, each entry alike, with the right-hand side of a Gaussian x: more columns than
/// rows, so that every right-hand side has a solution.
inline LinearSystem discrete_table(std::size_t rows, std::size_t cols, unsigned levels, std::uint64_t seed) {
  Matrix matrix(rows, cols);
  RngStream stream = stream_for(seed, Purpose::GeneratedMatrix);
  for (std::size_t i = 0; i < rows; ++i) {
    for (double& entry : matrix.row(i)) {
      for (unsigned k = 1; k < levels; ++k) entry += static_cast<double>(stream.below(2));  // both alleles
    }
  }
  std::vector<double> rhs = multiply(Rows{matrix.clone()}, gaussian_vector(cols, seed));
  return {std::move(matrix), std::move(rhs)};
}

/// An honest run for equations as `fedrk solve` makes it, masked.
inline RunResult solve_masked(Engine& engine, std::size_t participants, std::uint64_t seed,
                              std::uint32_t rounds = 1000) {
  std::size_t rows = 0;
  for (const ClientSummary& client : engine.roster()) rows = std::max(rows, client.rows);
  const MethodOptions wishes{.reveal = Reveal::Sums};
  RunOptions options{.seed = seed, .rounds = rounds, .participants = participants, .min_group = 3, .tolerance = 1e-8};
  options.local_budget = FixedSteps{8 * rows};
  options = run_options_for(goal_of(wishes, options), options);
  const auto method = make_method(wishes, options, engine);
  return FederatedRun(options).run(engine, *method);
}

/// Such runs, one for each seed, and what their server kept.
struct WatchedRuns {
  Transcript transcript;
  std::vector<LinearSystem> truth;
};

inline WatchedRuns watch_equations(LinearSystem table, std::size_t sites, std::size_t participants,
                                   const std::vector<std::uint64_t>& seeds) {
  WatchedRuns runs;
  for (const std::uint64_t seed : seeds) {
    MaskedSums clients(clients_of(copy_of(table), sites, seed, {.sampling = RowSampling::Shuffled}), seed);
    RecordingEngine engine(clients);
    (void)solve_masked(engine, participants, seed);
    runs.transcript.insert(runs.transcript.end(), engine.transcript().begin(), engine.transcript().end());
  }
  runs.truth.push_back(std::move(table));
  return runs;
}

}  // namespace fedrk::test

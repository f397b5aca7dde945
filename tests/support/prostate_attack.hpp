// SPDX-License-Identifier: Apache-2.0
#pragma once

// The server of a run on the prostate data, curious: what it sees, and how many of the 97 records it makes of that.

#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/record_attack.hpp"
#include "experiments/prostate.hpp"
#include "experiments/support.hpp"
#include "fedrk/in_process_engine.hpp"
#include "methods/method_options.hpp"
#include "problem/partition.hpp"

namespace fedrk::test {

inline constexpr AttackOptions kProstateAttack{.ones = 0};  // the intercept

struct ProstateRun {
  Transcript transcript;
  std::vector<std::string> names;   // of the clients
  std::vector<LinearSystem> truth;  // their records
};

/// The seven clients of the prostate data, and what an attacker would like to know.
struct ProstateClients {
  std::vector<Client> clients;
  ProstateRun run;
};

inline ProstateClients prostate_clients(std::uint64_t seed, StepOptions steps = {}) {
  const experiments::Prostate data = experiments::prostate();
  ProstateClients made{experiments::clients_of(copy_of(data.system), data.rows_of_client, seed, 0, steps), {}};
  for (const Client& client : made.clients) {
    made.run.names.push_back(client.summary().name);
    made.run.truth.push_back(copy_of(client.block().system()));
  }
  return made;
}

inline ProstateRun prostate_run(const MethodOptions& method, const RunOptions& options, StepOptions steps = {}) {
  ProstateClients made = prostate_clients(options.seed, steps);
  InProcessEngine inner(std::move(made.clients), 1);
  RecordingEngine engine(inner);
  const auto chosen = make_method(method, options, engine);
  (void)FederatedRun(run_options_for(goal_of(method, options), options)).run(engine, *chosen);
  made.run.transcript = engine.transcript();
  return std::move(made.run);
}

/// The run of data/prostate.toml.
inline ProstateRun fedrk_prostate_run(std::uint64_t seed) {
  return prostate_run({.name = MethodName::Fedrk},
                      {.seed = seed, .rounds = experiments::kProstateRounds, .participants = 3, .sparsity = 5});
}

inline std::size_t records_without_draws(const ProstateRun& run) {
  std::size_t matched = 0;
  for (std::uint32_t i = 0; i < run.truth.size(); ++i) {
    const auto found = recover_from_points(updates_of(run.transcript, ClientId{i}), kProstateAttack);
    matched += count_matches(found, run.truth[i], kProstateAttack);
  }
  return matched;
}

inline std::size_t records_with_draws(const ProstateRun& run, std::uint64_t seed) {
  std::size_t matched = 0;
  for (std::uint32_t i = 0; i < run.truth.size(); ++i) {
    const KnownDraws draws{.seed = client_seed(seed, run.names[i]), .rows = run.truth[i].rhs.size(), .steps = 20};
    const auto found = recover_with_draws(updates_of(run.transcript, ClientId{i}), draws, kProstateAttack);
    matched += count_matches(found, run.truth[i], kProstateAttack);
  }
  return matched;
}

/// How many records a server finds, or confirms, that takes sums for the update of one client.
inline std::size_t records_from_sums(const ProstateRun& run) {
  const auto found = recover_from_sums(run.transcript, kProstateAttack);
  const auto sums = sums_as_updates(run.transcript, ReadAs::Sum), means = sums_as_updates(run.transcript, ReadAs::Mean);
  std::size_t matched = 0;
  for (const LinearSystem& truth : run.truth) {
    matched += count_matches(found, truth, kProstateAttack);
    const auto& matrix = std::get<Matrix>(truth.rows);
    for (std::size_t j = 0; j < matrix.rows(); ++j) {
      if (holds(matrix.row(j), truth.rhs[j], sums) || holds(matrix.row(j), truth.rhs[j], means)) ++matched;
    }
  }
  return matched;
}

}  // namespace fedrk::test

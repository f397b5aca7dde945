// SPDX-License-Identifier: Apache-2.0

// Three owners of rows solve a linear system together, from within a program.

#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include "fedrk/analysis/error_to_truth.hpp"
#include "fedrk/engine/in_process_engine.hpp"
#include "fedrk/federated/federated_run.hpp"
#include "fedrk/problem/generators.hpp"
#include "fedrk/problem/partition.hpp"

int main() {
  // A consistent system of 300 equations in 50 unknowns, with its solution, and the rows dealt out to three clients.
  auto problem = fedrk::generate({.rows = 300, .cols = 50, .seed = 1});
  const auto partition = fedrk::partition_contiguous(300, 3);
  auto parts = fedrk::split(std::move(problem.system), partition);

  // Every client holds its own rows and its own seed.
  std::vector<fedrk::Client> clients;
  for (std::uint32_t i = 0; i < parts.size(); ++i) {
    clients.emplace_back(fedrk::ClientId{i}, partition.names[i], fedrk::RowBlock(std::move(parts[i])),
                         fedrk::client_seed(1, partition.names[i]));
  }
  fedrk::InProcessEngine engine(std::move(clients));

  // Two of the three take part in a round; the run ends when everyone's residual is small.
  fedrk::ErrorToTruth error(problem.solution);
  fedrk::RoundObserver* const observers[] = {&error};
  const fedrk::FederatedRun run(
      {.rounds = 2000, .participants = 2, .local_budget = fedrk::FixedSteps{100}, .tolerance = 1e-12});
  const auto result = run.run(engine, {}, observers);

  std::printf("%zu rounds, relative residual %.1e, relative error %.1e\n", result.history.size(),
              result.relative_residual.value_or(-1.0), error.errors().back());
}

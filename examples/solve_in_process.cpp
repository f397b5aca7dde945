// SPDX-License-Identifier: Apache-2.0

// Three owners of rows solve a linear system together, from within a program.

#include <cstdint>
#include <cstdio>
#include <utility>
#include <variant>
#include <vector>

#include <fedrk/generate.hpp>
#include <fedrk/in_process_engine.hpp>
#include <fedrk/run.hpp>

int main() {
  // A consistent system of 300 equations in 50 unknowns, of which three clients hold a hundred each.
  const auto problem = fedrk::generate({.rows = 300, .cols = 50, .seed = 1});
  const auto& A = std::get<fedrk::Matrix>(problem.system.rows);
  const auto& b = problem.system.rhs;

  // Every client has its own rows, in memory that stays ours, and its own seed.
  std::vector<fedrk::Client> clients;
  for (std::uint32_t i = 0; i < 3; ++i) {
    clients.emplace_back(fedrk::ClientId{i}, "client-" + std::to_string(i + 1),
                         fedrk::RowBlock({fedrk::Matrix::view(A.row(100 * i).data(), 100, 50, A.stride()),
                                          {b.begin() + 100 * i, b.begin() + 100 * (i + 1)}}),
                         17 + i);
  }
  fedrk::InProcessEngine engine(std::move(clients));

  // Two of the three take part in a round; the run ends when everyone's residual is small.
  const fedrk::FederatedRun run(
      {.rounds = 2000, .participants = 2, .local_budget = fedrk::FixedSteps{100}, .tolerance = 1e-12});
  const auto result = run.run(engine);

  std::printf("%zu rounds, relative residual %.1e, x[0] = %.6f where the solution has %.6f\n", result.history.size(),
              result.relative_residual.value_or(-1.0), result.x[0], problem.solution[0]);
}

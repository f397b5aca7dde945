// SPDX-License-Identifier: Apache-2.0

// x + y = 3 belongs to one owner, x - y = -1 to another.

#include <cstdio>
#include <utility>
#include <vector>

#include <fedrk/in_process_engine.hpp>
#include <fedrk/run.hpp>

int main() {
  std::vector<fedrk::Client> clients;
  clients.emplace_back(fedrk::ClientId{0}, "a", fedrk::RowBlock({fedrk::Matrix{{1.0, 1.0}}, {3.0}}), 1);
  clients.emplace_back(fedrk::ClientId{1}, "b", fedrk::RowBlock({fedrk::Matrix{{1.0, -1.0}}, {-1.0}}), 2);
  fedrk::InProcessEngine engine(std::move(clients));
  const auto result = fedrk::FederatedRun({.rounds = 50}).run(engine);
  std::printf("x = %.6g, %.6g\n", result.x[0], result.x[1]);
}

// SPDX-License-Identifier: Apache-2.0

// A method of one's own: gradient descent with momentum. It says what the clients are asked in a round and what it
// makes of the answers; the round loop, its stopping and its accounts are fedrk's.

#include <cstdio>
#include <utility>
#include <vector>

#include <fedrk/engine/in_process_engine.hpp>
#include <fedrk/federated/federated_run.hpp>
#include <fedrk/problem/generators.hpp>
#include <fedrk/problem/partition.hpp>

class HeavyBall final : public fedrk::Method {
 public:
  HeavyBall(double step, double momentum, std::size_t unknowns) : step_(step), momentum_(momentum), moved_(unknowns) {}

  // Everybody is asked for A_i^T (b_i - A_i x), of which the server sees the sum.
  fedrk::Request request(fedrk::RoundIndex, std::span<const double> x) override {
    return {fedrk::Gradient{}, x, {}, fedrk::Reveal::Sums, fedrk::Audience::Everyone};
  }
  void update(fedrk::RoundIndex, fedrk::RoundReplies& round, std::span<double> x) override {
    const auto& sum = round.replies.front().values;
    for (std::size_t j = 0; j < x.size(); ++j) x[j] += moved_[j] = momentum_ * moved_[j] + step_ * sum[j];
  }

 private:
  double step_, momentum_;
  std::vector<double> moved_;
};

int main() {
  auto problem = fedrk::generate({.rows = 300, .cols = 50, .seed = 1});
  auto parts = fedrk::split(std::move(problem.system), fedrk::partition_contiguous(300, 3));
  std::vector<fedrk::Client> clients;
  for (std::uint32_t i = 0; i < 3; ++i) {
    clients.emplace_back(fedrk::ClientId{i}, "client", fedrk::RowBlock(std::move(parts[i])), i);
  }
  fedrk::InProcessEngine engine(std::move(clients));

  HeavyBall method(1.0 / 300.0, 0.2, 50);
  const auto result = fedrk::FederatedRun({.rounds = 500, .tolerance = 1e-10}).run(engine, method);

  std::printf("%zu rounds, relative residual %.1e\n", result.history.size(), result.relative_residual.value_or(-1.0));
  return result.converged.value_or(false) ? 0 : 1;
}

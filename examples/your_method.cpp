// SPDX-License-Identifier: Apache-2.0

// A method of one's own: gradient descent with momentum. It says what the clients are asked in a round and what it
// makes of the answers; the round loop, its stopping and its accounts are fedrk's.

#include <iostream>
#include <vector>

#include <fedrk/fedrk.hpp>

class HeavyBall final : public fedrk::Method {
 public:
  // Everybody is asked for A_i^T (b_i - A_i x), of which the server sees the sum.
  fedrk::Request request(fedrk::RoundIndex, std::span<const double> x) override {
    return {fedrk::Gradient{}, x, {}, fedrk::Reveal::Sums, fedrk::Audience::Everyone};
  }
  void update(fedrk::RoundIndex, fedrk::RoundReplies& round, std::span<double> x) override {
    moved_.resize(x.size());
    const auto& sum = round.replies.front().values;
    for (std::size_t j = 0; j < x.size(); ++j) x[j] += moved_[j] = 0.2 * moved_[j] + 0.1 * sum[j];
  }

 private:
  std::vector<double> moved_;
};

int main() {
  const std::vector<double> A1{2, 1, 1, 3}, b1{4, 7}, A2{1, -1}, b2{-1};
  HeavyBall method;
  const auto solution = fedrk::solve({{fedrk::view(A1, 2), b1}, {fedrk::view(A2, 2), b2}}, method);
  std::cout << "x = " << solution.x[0] << ' ' << solution.x[1] << ", " << solution.stop_reason << '\n';
  return solution.converged ? 0 : 1;
}

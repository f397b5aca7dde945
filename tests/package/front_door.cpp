// SPDX-License-Identifier: Apache-2.0

// Two sites fit y = 1 + 2 u, and two owners solve x + y = 3, x - y = -1, by the calls of <fedrk/fedrk.hpp>.

#include <iostream>
#include <vector>

#include <fedrk/fedrk.hpp>

int main() {
  const std::vector<fedrk::Table> sites{fedrk::Table({{"u", {0, 1}}, {"y", {1, 3}}}),
                                        fedrk::Table({{"y", {5, 7}}, {"u", {2, 3}}})};
  std::cout << fedrk::fit(sites, "y ~ .").summary();

  const std::vector<double> sum{1, 1}, three{3}, difference{1, -1}, minus_one{-1};
  const auto solution = fedrk::solve({{fedrk::view(sum, 2), three}, {fedrk::view(difference, 2), minus_one}});
  std::cout << "x = " << solution.x[0] << ", " << solution.x[1] << '\n';
}

// SPDX-License-Identifier: Apache-2.0

// Two owners of rows, each with its own arrays, solve A x = b together. The arrays are read where they are.

#include <cstdio>
#include <vector>

#include <fedrk/fedrk.hpp>

int main() {
  const std::vector<double> A1{2, 1, 0,  //
                               1, 3, 1};
  const std::vector<double> b1{4, 10};
  const std::vector<double> A2{0, 1, 4};
  const std::vector<double> b2{14};

  const auto solution = fedrk::solve({{fedrk::view(A1, 3), b1}, {fedrk::view(A2.data(), 1, 3), b2}});

  std::printf("x = %.6g %.6g %.6g, %s\n", solution.x[0], solution.x[1], solution.x[2], solution.stop_reason.c_str());
  return solution.converged ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
#include "methods/gaussian_privacy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fedrk/contracts.hpp"

namespace fedrk::privacy {

// The root of r^2 + 2 r sqrt(L) = epsilon, squared, for r = sqrt(rho) and L = ln(1/delta). Written as a quotient, as
// the difference of two nearly equal roots would lose digits where epsilon is small.
double rho_of(double epsilon, double delta) {
  FEDRK_EXPECTS(epsilon > 0.0 && delta > 0.0 && delta < 1.0);
  const double log = -std::log(delta);
  const double root = epsilon / (std::sqrt(log + epsilon) + std::sqrt(log));
  return root * root;
}

double epsilon_of(double rho, double delta) { return rho + 2.0 * std::sqrt(rho * -std::log(delta)); }

double sensitivity(const ClippedPass& pass, std::size_t rows, std::size_t unknowns) {
  const auto n = static_cast<double>(unknowns);
  const auto all = static_cast<double>(rows);
  const double steps = pass.steps == 0 ? all : std::min(all, static_cast<double>(pass.steps));
  const double arithmetic = (n + 13.0) * steps * steps * 0x1.0p-53;
  return 2.0 * pass.clip * (1.0 + arithmetic) + std::sqrt(n) * std::ldexp(1.0, pass.exponent);
}

double rho_of_pass(const ClippedPass& pass, std::size_t rows, std::size_t unknowns, std::size_t min_answers) {
  FEDRK_EXPECTS(min_answers >= 2);
  if (!(pass.noise > 0.0)) return std::numeric_limits<double>::infinity();
  const double ratio = sensitivity(pass, rows, unknowns) / pass.noise;
  return ratio * ratio / (2.0 * static_cast<double>(min_answers - 1));
}

}  // namespace fedrk::privacy

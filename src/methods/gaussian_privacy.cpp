// SPDX-License-Identifier: Apache-2.0
#include "methods/gaussian_privacy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "fedrk/contracts.hpp"
#include "problem/cross_products.hpp"

namespace fedrk::privacy {
namespace {

// Mills' ratio R(z) = (1 - F(z))/f(z) of the normal distribution and its derivative z R - 1. For large z both follow
// from the continued fraction R = 1/(z + 1/(z + 2/(z + 3/(z + ...)))), where nothing cancels.
struct Mills {
  double ratio = 0.0, slope = 0.0;
};

Mills mills(double z) {
  if (z < 3.0) {
    const double ratio = std::sqrt(std::numbers::pi / 2.0) * std::exp(0.5 * z * z) * std::erfc(z / std::numbers::sqrt2);
    return {ratio, z * ratio - 1.0};
  }
  constexpr int kTerms = 60;  // to rounding from z = 3 on
  double tail = 0.0;
  for (int k = kTerms; k >= 1; --k) tail = k / (z + tail);
  return {1.0 / (z + tail), -tail / (z + tail)};
}

// R(m - h) - R(m + h) for small h, by the first and third derivatives: R'' = R + m R', R''' = 2 R' + m R''.
double short_drop(double m, double h) {
  const auto [ratio, slope] = mills(m);
  const double third = 2.0 * slope + m * (ratio + m * slope);
  return -2.0 * h * (slope + h * h / 6.0 * third);
}

/// The last of the numbers between `from` and `to` for which the condition holds, if it does up to some number and not
/// beyond. REQUIRES: it holds at `from`.
template <class Condition>
double last_with(double from, double to, Condition holds) {
  constexpr int kMost = 200;  // halvings; neighbours are reached before, but near zero
  for (int k = 0; k < kMost; ++k) {
    const double middle = from + (to - from) / 2.0;
    if (middle == from || middle == to) break;
    (holds(middle) ? from : to) = middle;
  }
  return from;
}

}  // namespace

// With a = epsilon/mu - mu/2 and b = a + mu, e^epsilon f(b) = f(a) for the density f, so
// delta = f(a) (R(a) - R(b)). Below a = 0 that is a difference of ordinary numbers.
double log_delta_of(double mu, double epsilon) {
  FEDRK_EXPECTS(mu > 0.0 && epsilon >= 0.0);
  constexpr double kShort = 1e-3;
  const double middle = epsilon / mu, a = middle - 0.5 * mu, b = middle + 0.5 * mu;
  const double log_density = -0.5 * (a * a + std::log(2.0 * std::numbers::pi));
  if (mu < kShort) return log_density + std::log(short_drop(middle, 0.5 * mu));
  if (a > 0.0) return log_density + std::log(mills(a).ratio - mills(b).ratio);
  return std::log(0.5 * std::erfc(a / std::numbers::sqrt2) - std::exp(log_density) * mills(b).ratio);
}

// The bound of zero-concentrated privacy is where the search begins: it promises too little, never too much. It is the
// root of r^2 + 2 r sqrt(L) = epsilon for r = sqrt(rho) and L = ln(1/delta), as a quotient, since the difference of two
// nearly equal roots would lose digits where epsilon is small.
double rho_of(double epsilon, double delta) {
  FEDRK_EXPECTS(epsilon > 0.0 && delta > 0.0 && delta < 1.0);
  const double log_delta = std::log(delta);
  const auto holds = [&](double mu) { return log_delta_of(mu, epsilon) <= log_delta; };
  const double from = std::numbers::sqrt2 * epsilon / (std::sqrt(epsilon - log_delta) + std::sqrt(-log_delta));
  double to = 2.0 * from;
  while (holds(to)) to *= 2.0;
  const double mu = last_with(from, to, holds);
  return 0.5 * mu * mu;
}

double epsilon_of(double rho, double delta) {
  FEDRK_EXPECTS(rho >= 0.0 && delta > 0.0 && delta < 1.0);
  const double log_delta = std::log(delta), mu = std::sqrt(2.0 * rho);
  if (!(mu > 0.0) || log_delta_of(mu, 0.0) <= log_delta) return 0.0;
  const auto fails = [&](double epsilon) { return log_delta_of(mu, epsilon) > log_delta; };
  const double enough = rho + 2.0 * std::sqrt(rho * -log_delta);
  return std::nextafter(last_with(0.0, enough, fails), enough);
}

double sensitivity(const ClippedPass& pass, std::size_t rows, std::size_t unknowns) {
  const auto n = static_cast<double>(unknowns);
  const auto all = static_cast<double>(rows);
  const double steps = pass.steps == 0 ? all : std::min(all, static_cast<double>(pass.steps));
  const double arithmetic = (n + 13.0) * steps * steps * 0x1.0p-53;
  return 2.0 * pass.clip * (1.0 + arithmetic) + std::sqrt(n) * std::ldexp(1.0, pass.exponent);
}

double sensitivity(const NoisyProducts& products, std::size_t rows, std::size_t unknowns) {
  constexpr double kExact = 0x1.0p51;  // grid steps
  const double square = products.bound * products.bound, grid = std::ldexp(1.0, products.exponent);
  if (!(static_cast<double>(rows) * square < kExact * grid)) return std::numeric_limits<double>::infinity();
  const double arithmetic = (2.0 * static_cast<double>(unknowns) + 32.0) * 0x1.0p-53;
  const auto numbers = static_cast<double>(cross_product_count(unknowns));
  return std::numbers::sqrt2 * square * (1.0 + arithmetic) + std::sqrt(numbers) * grid;
}

namespace {

double rho_of_share(double sensitivity, double share, std::size_t min_answers) {
  FEDRK_EXPECTS(min_answers >= 2);
  if (!(share > 0.0)) return std::numeric_limits<double>::infinity();
  const double ratio = sensitivity / share;
  return ratio * ratio / (2.0 * static_cast<double>(min_answers - 1));
}

}  // namespace

double rho_of_pass(const ClippedPass& pass, std::size_t rows, std::size_t unknowns, std::size_t min_answers) {
  return rho_of_share(sensitivity(pass, rows, unknowns), pass.noise, min_answers);
}

double rho_of_products(const NoisyProducts& products, std::size_t rows, std::size_t unknowns, std::size_t min_answers) {
  return rho_of_share(sensitivity(products, rows, unknowns), products.noise, min_answers);
}

std::optional<double> rho_of_answer(const LocalWork& work, std::size_t rows, std::size_t unknowns,
                                    std::size_t min_answers) {
  if (const auto* pass = std::get_if<ClippedPass>(&work)) return rho_of_pass(*pass, rows, unknowns, min_answers);
  const auto* products = std::get_if<NoisyProducts>(&work);
  return products ? std::optional(rho_of_products(*products, rows, unknowns, min_answers)) : std::nullopt;
}

}  // namespace fedrk::privacy

// SPDX-License-Identifier: Apache-2.0
#include "bench/harness.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

namespace fedrk::bench {

using Clock = std::chrono::steady_clock;

double time_of(const std::function<void()>& work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

std::vector<double> shortest_times(const std::vector<Contestant>& contestants, double seconds, std::size_t min_turns) {
  std::vector<double> shortest(contestants.size(), std::numeric_limits<double>::infinity());
  for (const Contestant& contestant : contestants) contestant.batch();  // first touch, lazy set-up
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  for (std::size_t turn = 0; turn < min_turns || Clock::now() < end; ++turn) {
    for (std::size_t i = 0; i < contestants.size(); ++i) {
      shortest[i] = std::min(shortest[i], time_of(contestants[i].batch) / contestants[i].units);
    }
  }
  return shortest;
}

double fitted_exponent(const std::vector<double>& x, const std::vector<double>& y) {
  double mean_x = 0.0, mean_y = 0.0, covariance = 0.0, variance = 0.0;
  const auto count = static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean_x += std::log(x[i]) / count;
    mean_y += std::log(y[i]) / count;
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    covariance += (std::log(x[i]) - mean_x) * (std::log(y[i]) - mean_y);
    variance += (std::log(x[i]) - mean_x) * (std::log(x[i]) - mean_x);
  }
  return covariance / variance;
}

void keep(const void* result) { asm volatile("" : : "g"(result) : "memory"); }

}  // namespace fedrk::bench

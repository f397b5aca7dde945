// SPDX-License-Identifier: Apache-2.0
#pragma once

// How times are taken: the contestants take turns in short batches for some seconds, and each one's shortest batch
// counts. What else runs on the machine then hits all of them alike, and what remains is a ratio within one run.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace fedrk::bench {

struct Contestant {
  std::string name;
  std::function<void()> batch;
  double units = 1.0;  // of work in a batch: steps, passes, rounds
};

/// The shortest time of each in nanoseconds a unit, in the order given. Every one gets at least `least` turns.
std::vector<double> shortest_times(const std::vector<Contestant>& contestants, double seconds,
                                   std::size_t min_turns = 5);

/// Nanoseconds that one call takes.
double time_of(const std::function<void()>& work);

/// The slope of log y over log x by least squares: the exponent of growth.
double fitted_exponent(const std::vector<double>& x, const std::vector<double>& y);

/// Keeps a compiler from leaving out what nobody reads.
void keep(const void* result);

}  // namespace fedrk::bench

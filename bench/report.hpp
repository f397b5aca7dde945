// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a run of the benchmarks found: ratios with their limits, and growth with its exponents. As a table, as JSON with
// the machine's description, and as a plot.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace fedrk::bench {

/// fedrk against a peer, both measured in the same minute.
struct Ratio {
  std::string what;
  std::string peer;
  double ours = 0.0;   // in `unit`
  double other = 0.0;  // the peer's
  std::string unit;
  std::optional<double> at_most{}, at_least{};  // limits of `value`; without one the line only informs
  double value = ours / other;

  bool holds() const { return !(at_most && value > *at_most) && !(at_least && value < *at_least); }
};

/// Times against one size, all else equal.
struct Growth {
  std::string what, variable;
  std::vector<double> sizes, nanoseconds;
  double exponent = 0.0;
};

struct Report {
  std::vector<Ratio> ratios;
  std::vector<Growth> growths;
  std::vector<std::string> notes;
  bool judged = true;  // false: sizes too small for the limits to mean anything

  void add(Ratio ratio);    // and prints it, so that one sees something happen
  void add(Growth growth);  // works out the exponent and prints it
};

std::string json_of(const Report& report);

/// STEM.json, and STEM-growth.svg with its PNG file.
Result<void> write_report(const Report& report, const std::filesystem::path& stem);

}  // namespace fedrk::bench

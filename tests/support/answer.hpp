// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the program answered to a command line, and how far that is from an answer that is known.

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace fedrk::test {

using nlohmann::json;

inline const std::string kTestData = FEDRK_SOURCE "/tests/data/";

struct Answer {
  int exit_code = 0;
  json result;  // null where there is none
  std::string err;

  bool converged() const { return result.is_object() && result["converged"] == true; }
  std::string status() const { return result["status"]; }
  std::size_t rounds() const { return result["rounds"]; }

  /// In the order of the result; NaN where a column is not estimable.
  std::vector<double> coefficients() const {
    std::vector<double> values;
    for (const json& entry : result["coefficients"]) {
      const json& value = entry["coefficient"];
      values.push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>());
    }
    return values;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const json& entry : result["coefficients"]) names.push_back(entry["name"]);
    return names;
  }
};

inline Answer answer(const Program& program, const std::string& arguments) {
  const Outcome ended = program.run(arguments + " --format json --progress none");
  return {ended.exit_code, json::parse(ended.out, nullptr, false), ended.err};
}

/// The largest relative error of an entry; absolute where the truth is 0. Infinite where an entry is missing.
inline double worst_error(std::span<const double> found, std::span<const double> truth) {
  if (found.size() != truth.size()) return std::numeric_limits<double>::infinity();
  double worst = 0.0;
  for (std::size_t j = 0; j < truth.size(); ++j) {
    const double error = std::abs(found[j] - truth[j]) / (truth[j] == 0.0 ? 1.0 : std::abs(truth[j]));
    worst = std::isnan(error) ? std::numeric_limits<double>::infinity() : std::max(worst, error);
  }
  return worst;
}

/// ||found - truth|| / ||truth||
inline double relative_error(std::span<const double> found, std::span<const double> truth) {
  if (found.size() != truth.size()) return std::numeric_limits<double>::infinity();
  double error = 0.0, length = 0.0;
  for (std::size_t j = 0; j < truth.size(); ++j) {
    error += (found[j] - truth[j]) * (found[j] - truth[j]);
    length += truth[j] * truth[j];
  }
  return std::sqrt(error / length);
}

inline json read_json(const std::string& path) { return json::parse(std::ifstream(path)); }

inline std::vector<double> estimates(const json& fit) {
  std::vector<double> values;
  for (const json& entry : fit["coefficients"]) values.push_back(entry["estimate"]);
  return values;
}

/// Done, converged and without a warning that it is not.
inline void expect_solved(const Answer& found) {
  EXPECT_EQ(found.exit_code, 0) << found.err;
  ASSERT_TRUE(found.result.is_object()) << found.err;
  EXPECT_TRUE(found.converged()) << found.result["stop_words"];
  EXPECT_EQ(found.status(), "finished:completed");
  EXPECT_EQ(found.err.find("not converged"), std::string::npos) << found.err;
}

/// Said in all three places: the exit code, the result and a warning.
inline void expect_unsolved(const Answer& found) {
  EXPECT_EQ(found.exit_code, 3) << found.err;
  ASSERT_TRUE(found.result.is_object()) << found.err;
  EXPECT_EQ(found.result["converged"], false);
  EXPECT_EQ(found.status(), "finished:unconverged");
  EXPECT_NE(found.err.find("Warning: not converged"), std::string::npos) << found.err;
}

}  // namespace fedrk::test

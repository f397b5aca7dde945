// SPDX-License-Identifier: Apache-2.0
#pragma once

// The entries of a plan as flags, and a plan file that they override.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fedrk/base/result.hpp"
#include "fedrk/io/plan.hpp"

namespace CLI {
class App;
}

namespace fedrk::app {

class PlanFlags {
 public:
  /// Adds the positional plan file and a flag for each entry.
  void add_to(CLI::App& command);

  /// The plan file, if any, with the flags over it.
  Result<io::Plan> plan() const;

  /// The plan file as given; empty without one.
  const std::string& plan_file() const { return plan_file_; }

 private:
  std::string plan_file_;
  std::map<std::string, std::vector<std::string>> given_;  // by entry
};

}  // namespace fedrk::app

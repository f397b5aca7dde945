// SPDX-License-Identifier: Apache-2.0
#pragma once

// The entries of a plan as flags, and a plan file that they override.

#include <string>

#include "fedrk/base/result.hpp"
#include "fedrk/io/plan.hpp"
#include "option_flags.hpp"

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
  OptionFlags<io::Plan> flags_;
};

}  // namespace fedrk::app

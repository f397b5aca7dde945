// SPDX-License-Identifier: Apache-2.0
#pragma once

// The entries of a plan as flags, and the files that are given without one: a plan that the flags override, and data.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "flags.hpp"
#include "plan/plan_options.hpp"

namespace fedrk::app {

class PlanFlags {
 public:
  /// Adds the files and a flag for each entry to a command: for the entries that plans of this goal have, or for all.
  void add_to(Command& command, std::optional<io::Job> goal = {});
  /// The same, with a flag for the wanted entries only.
  void add_to(Command& command, std::optional<io::Job> goal, const std::function<bool(const io::PlanOption&)>& wanted);

  /// The plan file, if any, with the other files and the flags over it. Its goal is that of the command.
  Result<io::Plan> plan() const;

  /// The plan file as given; empty without one.
  std::string plan_file() const;

 private:
  std::optional<io::Job> goal_;
  std::vector<std::string> files_;
  std::string site_;
  OptionFlags<io::Plan> flags_;
};

}  // namespace fedrk::app

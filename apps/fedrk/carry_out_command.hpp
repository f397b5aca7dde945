// SPDX-License-Identifier: Apache-2.0
#pragma once

// What fedrk fit and fedrk solve share: a federation that lives with the run, from data files to a report.

#include <string>

#include "output.hpp"
#include "plan_flags.hpp"
#include "progress.hpp"

namespace fedrk::app {

class Host;

struct CarryOutArguments {
  PlanFlags plan;
  std::string out;
  bool overwrite = false;
  std::string threads;  // empty: all cores
  OutputFormat format = OutputFormat::Text;
  ProgressStyle progress = ProgressStyle::Auto;
};

/// The flags of a command with this goal.
void add_flags(CLI::App& command, io::Job goal, CarryOutArguments& arguments);

/// Carries the plan out, prints what came out, and returns the exit code.
int carry_out_command(const CarryOutArguments& arguments, Host& host);

}  // namespace fedrk::app

// SPDX-License-Identifier: Apache-2.0
#include "plan_flags.hpp"

#include <CLI/CLI.hpp>

#include "fedrk/io/plan_options.hpp"

namespace fedrk::app {

void PlanFlags::add_to(CLI::App& command) {
  command.add_option("plan", plan_file_, "TOML file with any of the entries below; a flag wins over it")
      ->type_name("PLAN");
  flags_.add_to(command, io::plan_options());
}

Result<io::Plan> PlanFlags::plan() const {
  io::Plan plan;
  if (!plan_file_.empty()) {
    if (const auto read = io::read_plan(plan_file_, plan); !read) return read.error();
  }
  if (const auto done = flags_.apply_to(plan); !done) return done.error();
  return plan;
}

}  // namespace fedrk::app

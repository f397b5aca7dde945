// SPDX-License-Identifier: Apache-2.0
#pragma once

// What fedrk fit and fedrk solve share: a federation that lives with the run, from data files to a report.

#include <string>

#include "cli.hpp"
#include "fedrk/io/plan.hpp"

namespace fedrk::app {

class Launcher;

/// The command with the flags of this goal, still without a description.
Command execute_command(std::string name, io::Goal goal, Launcher& launcher);

}  // namespace fedrk::app

// SPDX-License-Identifier: Apache-2.0
#pragma once

// What fedrk fit and fedrk solve share: a federation that lives with the run, from data files to a report.

#include <string>

#include "cli.hpp"
#include "fedrk/io/plan.hpp"

namespace fedrk::app {

class Host;

/// The command with the flags of this goal, still without a description.
Command carry_out_command(std::string name, io::Goal goal, Host& host);

}  // namespace fedrk::app

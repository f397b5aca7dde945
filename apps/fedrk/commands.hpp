// SPDX-License-Identifier: Apache-2.0
#pragma once

// The commands, each in a file of its own name.

#include "cli.hpp"

namespace fedrk::app {

class Launcher;

Command check_command();
Command client_command();
Command compare_command();
Command fit_command(Launcher& launcher);
Command generate_command();
Command inspect_command();
Command provision_command();
Command report_command();
Command reproduce_command();
Command server_command();
Command solve_command(Launcher& launcher);
Command status_command();
Command stop_command();

}  // namespace fedrk::app

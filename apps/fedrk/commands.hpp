// SPDX-License-Identifier: Apache-2.0
#pragma once

// The commands, each in a file of its own name in commands/.

#include <cstddef>
#include <functional>
#include <string>

#include "cli.hpp"
#include "output.hpp"
#include "plan/plan.hpp"
#include "progress.hpp"

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

/// What fit and solve share: a federation that lives with the run, from data files to a report. The command has the
/// flags of this goal and no description yet.
Command execute_command(std::string name, io::Job goal, Launcher& launcher);

struct ResumeArguments {
  std::string folder;
  std::size_t threads = 0;  // 0: all cores
  OutputFormat format = OutputFormat::Text;
  ProgressStyle progress = ProgressStyle::Auto;
};

/// Runs of a server need `of_server`; without it they are refused.
Command resume_command(Launcher& launcher, std::function<int(const ResumeArguments&)> of_server = {});
int resume_server(const ResumeArguments& arguments);

}  // namespace fedrk::app

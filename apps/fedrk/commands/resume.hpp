// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "cli.hpp"
#include "run_folder.hpp"

namespace fedrk::app {

class Launcher;

struct ResumeArguments {
  std::string folder;
  std::size_t threads = 0;  // 0: all cores
  OutputFormat format = OutputFormat::Text;
  ProgressStyle progress = ProgressStyle::Auto;
};

/// Each kind of run has a function that goes on with it and returns the exit code.
int resume_run(const ResumeArguments& arguments, Launcher& launcher);
int resume_server(const ResumeArguments& arguments);
/// Looks what kind it is.
int resume_any(const ResumeArguments& arguments);

/// The command, which calls one of them.
Command resume_command(std::function<int(const ResumeArguments&)> resume);

}  // namespace fedrk::app

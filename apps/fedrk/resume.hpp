// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "kept_run.hpp"

namespace CLI {
class App;
}

namespace fedrk::app {

class Host;

struct ResumeArguments {
  std::string folder;
  std::string threads;  // empty: all cores
  OutputFormat format = OutputFormat::Text;
  ProgressStyle progress = ProgressStyle::Auto;
};

/// Each kind of run has a function that goes on with it and returns the exit code.
int resume_run(const ResumeArguments& arguments, Host& host);
int resume_server(const ResumeArguments& arguments);
/// Looks what kind it is.
int resume_any(const ResumeArguments& arguments);

/// The command, which calls one of them.
void add_resume(CLI::App& program, int& exit_code, std::function<int(const ResumeArguments&)> resume);

}  // namespace fedrk::app

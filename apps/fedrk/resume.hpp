// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "kept_run.hpp"

namespace fedrk::app {

struct ResumeArguments {
  std::string folder;
  std::string threads;  // empty: all cores
  OutputFormat format = OutputFormat::Text;
  ProgressStyle progress = ProgressStyle::Auto;
};

/// Each kind of run has a function that goes on with it and returns the exit code.
int resume_solve(const ResumeArguments& arguments, KeptRun& kept);
int resume_server(const ResumeArguments& arguments);

}  // namespace fedrk::app

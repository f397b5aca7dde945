// SPDX-License-Identifier: Apache-2.0

// The program fedrk. Here, and only here, errors become exit codes.

#include <csignal>

#include "commands.hpp"
#include "launcher.hpp"
#include "lost_file.hpp"
#include "output.hpp"
#include "resume.hpp"

int main(int argc, char** argv) {
  using namespace fedrk::app;
  std::signal(SIGXFSZ, SIG_IGN);  // a file size limit is then an error of the write, as a full disk is
  explain_lost_files();
  try {
    LocalLauncher here;
    const Program program{
        "fedrk",
        "Regressions and linear systems whose rows belong to different owners.",
        FEDRK_VERSION,
        "\"fedrk COMMAND --help\" describes a command.",
        {fit_command(here), solve_command(here), generate_command(), reproduce_command(), compare_command(),
         inspect_command(), report_command(), provision_command(), check_command(), server_command(), client_command(),
         status_command(), stop_command(), resume_command(resume_any)}};
    return run(program, argc, argv);
  } catch (...) {
    const Failure failure = current_failure();
    return complain(failure.message, failure.exit_code);
  }
}

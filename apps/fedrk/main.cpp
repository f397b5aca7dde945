// SPDX-License-Identifier: Apache-2.0

// The program fedrk. Here, and only here, errors become exit codes.

#include "commands.hpp"
#include "launcher.hpp"
#include "output.hpp"
#include "signals.hpp"

int main(int argc, char** argv) {
  using namespace fedrk::app;
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
         status_command(), stop_command(), resume_command(here, resume_server)}};
    return run(program, argc, argv);
  } catch (...) {
    const Failure failure = current_failure();
    return complain(failure.message, failure.exit_code);
  }
}

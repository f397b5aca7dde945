// SPDX-License-Identifier: Apache-2.0

// fedrk fit: a regression across sites, from their tables to one table of estimates.

#include "commands.hpp"
#include "launcher.hpp"

namespace fedrk::app {

Command fit_command(Launcher& launcher) {
  Command command = execute_command("fit", io::Job::Fit, launcher);
  command.about = "fit a regression to the tables of several sites, " + launcher.where();
  command.footer =
      "Examples:\n"
      "  fedrk fit hospital-*.csv --target lpsa\n"
      "  fedrk fit patients.csv --target lpsa --site hospital --ridge 10 --standardize --out runs/ridge\n"
      "  fedrk fit dose.csv --target response --clients 5 --powers dose:3 --format json\n\n"
      "Columns are matched by name, in the order of the first file. The intercept is "
      "named (Intercept).\n"
      "Exit codes: 0 done and converged; 1 the run failed; 2 bad usage or input; 3 stopped, or not converged.";
  return command;
}

}  // namespace fedrk::app

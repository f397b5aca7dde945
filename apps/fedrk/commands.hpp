// SPDX-License-Identifier: Apache-2.0
#pragma once

// The subcommands. Each adds itself to the program and, when chosen, leaves its exit code.

namespace CLI {
class App;
}

namespace fedrk::app {

class Host;

enum ExitCode : int {
  kDone = 0,
  kRunFailed = 1,
  kBadInput = 2,      // bad usage or bad input
  kStoppedEarly = 3,  // interrupted, or not converged
};

void add_check(CLI::App& program, int& exit_code);
void add_compare(CLI::App& program, int& exit_code);
void add_server(CLI::App& program, int& exit_code);
void add_client(CLI::App& program, int& exit_code);
void add_fit(CLI::App& program, int& exit_code, Host& host);
void add_solve(CLI::App& program, int& exit_code, Host& host);
void add_generate(CLI::App& program, int& exit_code);
void add_inspect(CLI::App& program, int& exit_code);
void add_provision(CLI::App& program, int& exit_code);
void add_report(CLI::App& program, int& exit_code);
void add_reproduce(CLI::App& program, int& exit_code);
void add_status(CLI::App& program, int& exit_code);
void add_stop(CLI::App& program, int& exit_code);

}  // namespace fedrk::app

// SPDX-License-Identifier: Apache-2.0

// The command line of fedrk. Here, and only here, errors become exit codes.

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include <CLI/CLI.hpp>

#include "commands.hpp"
#include "fedrk/base/error.hpp"
#include "fedrk/store/run_store.hpp"
#include "help.hpp"
#include "host.hpp"
#include "lost_file.hpp"
#include "output.hpp"
#include "resume.hpp"
#include "suggest.hpp"

namespace {

int run(int argc, char** argv) {
  CLI::App program{"Regressions and linear systems whose rows belong to different owners."};
  program.name("fedrk");
  program.set_version_flag("--version", "fedrk " FEDRK_VERSION);
  program.require_subcommand(1);
  fedrk::app::format_help(program);
  program.footer("\"fedrk COMMAND --help\" describes a command.");

  int exit_code = fedrk::app::kDone;
  fedrk::app::ThisProcess here;
  fedrk::app::add_fit(program, exit_code, here);
  fedrk::app::add_solve(program, exit_code, here);
  fedrk::app::add_generate(program, exit_code);
  fedrk::app::add_reproduce(program, exit_code);
  fedrk::app::add_compare(program, exit_code);
  fedrk::app::add_inspect(program, exit_code);
  fedrk::app::add_report(program, exit_code);
  fedrk::app::add_provision(program, exit_code);
  fedrk::app::add_check(program, exit_code);
  fedrk::app::add_server(program, exit_code);
  fedrk::app::add_client(program, exit_code);
  fedrk::app::add_status(program, exit_code);
  fedrk::app::add_stop(program, exit_code);
  fedrk::app::add_resume(program, exit_code, fedrk::app::resume_any);
  if (argc > 1 && argv[1][0] != '-') {
    const std::string error = fedrk::app::command_error(program, argv[1]);
    if (!error.empty()) return fedrk::app::complain(error, fedrk::app::kBadInput);
  }
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return program.exit(error);  // --help, --version
    return fedrk::app::complain(fedrk::app::usage_error(program, error), fedrk::app::kBadInput);
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file size limit is then an error of the write, as a full disk is
  fedrk::app::explain_lost_files();
  try {
    return run(argc, argv);
  } catch (const fedrk::InvalidArgument& error) {
    std::fprintf(stderr, "fedrk: %s\n", error.what());
    return fedrk::app::kBadInput;
  } catch (const fedrk::store::StoreFailed& error) {
    std::fprintf(stderr, "fedrk: %s\nWhat was stored before stays: \"fedrk resume\" goes on from there.\n",
                 error.what());
    return fedrk::app::kRunFailed;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "fedrk: not enough memory for this problem\n");
    return fedrk::app::kRunFailed;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fedrk: unexpected: %s\n", error.what());
    return fedrk::app::kRunFailed;
  }
}

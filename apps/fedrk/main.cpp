// SPDX-License-Identifier: Apache-2.0

// The command line of fedrk. Here, and only here, errors become exit codes.

#include <cstdio>
#include <exception>
#include <new>

#include <CLI/CLI.hpp>

#include "commands.hpp"
#include "fedrk/base/error.hpp"
#include "output.hpp"

namespace {

int run(int argc, char** argv) {
  CLI::App program{"Solves linear systems and regressions whose rows belong to different owners."};
  program.name("fedrk");
  program.set_version_flag("--version", "fedrk " FEDRK_VERSION);
  program.require_subcommand(1);
  fedrk::app::format_help(program);
  program.footer("\"fedrk COMMAND --help\" tells more about each.");

  int exit_code = fedrk::app::kDone;
  fedrk::app::add_generate(program, exit_code);
  fedrk::app::add_solve(program, exit_code);
  fedrk::app::add_inspect(program, exit_code);
  fedrk::app::add_report(program, exit_code);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return program.exit(error);  // --help, --version
    std::fprintf(stderr, "fedrk: %s\nTry \"fedrk --help\" or \"fedrk COMMAND --help\".\n", error.what());
    return fedrk::app::kBadInput;
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const fedrk::InvalidArgument& error) {
    std::fprintf(stderr, "fedrk: %s\n", error.what());
    return fedrk::app::kBadInput;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "fedrk: not enough memory for this problem\n");
    return fedrk::app::kRunFailed;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fedrk: unexpected: %s\n", error.what());
    return fedrk::app::kRunFailed;
  }
}

// SPDX-License-Identifier: Apache-2.0

// fedrk report: the HTML page of a run, made anew from its files.

#include <memory>
#include <string>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "commands.hpp"
#include "fedrk/io/report.hpp"
#include "help.hpp"
#include "output.hpp"

namespace fedrk::app {

void add_report(CLI::App& program, int& exit_code) {
  struct Arguments {
    std::string folder, out;
  };
  auto* command = program.add_subcommand("report", "make the HTML report of a run from its files");
  const auto arguments = std::make_shared<Arguments>();
  format_help(*command);
  command->add_option("run", arguments->folder, "folder of the run (--out of fedrk fit, solve or server)")
      ->required()
      ->type_name("DIR");
  command->add_option("--out", arguments->out, "file to write")->type_name("FILE")->default_str("DIR/report.html");
  command->footer("Example:\n  fedrk report runs/demo");
  command->callback([arguments, &exit_code] {
    const auto page = io::write_report(arguments->folder, arguments->out);
    if (!page) {
      exit_code = complain(page.error().message, kBadInput);
      return;
    }
    exit_code = print_result(page->string() + "\n") ? kDone : kRunFailed;
  });
}

}  // namespace fedrk::app

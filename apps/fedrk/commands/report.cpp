// SPDX-License-Identifier: Apache-2.0

// fedrk report: the HTML page of a run, made anew from its files.

#include <memory>
#include <string>

#include <fmt/format.h>

#include "commands.hpp"
#include "flags.hpp"
#include "output.hpp"
#include "report/report.hpp"

namespace fedrk::app {

Command report_command() {
  struct Arguments {
    std::string folder, out;
  };
  const auto arguments = std::make_shared<Arguments>();
  return {.name = "report",
          .about = "make the HTML report of a run from its files",
          .arguments = {run_argument(arguments->folder, "folder of the run (--out of fedrk fit, solve or server)")},
          .flags = {{"out", "FILE", "file to write", text(arguments->out), "DIR/report.html"}},
          .footer = "Example:\n  fedrk report runs/demo",
          .run = [arguments] {
            const auto page = io::write_report(arguments->folder, arguments->out);
            if (!page) return complain(page.error().message, kBadInput);
            return print_result(page->string() + "\n") ? int{kDone} : int{kRunFailed};
          }};
}

}  // namespace fedrk::app

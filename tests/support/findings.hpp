// SPDX-License-Identifier: Apache-2.0
#pragma once

// Made-up findings of an experiment.

#include <string>

#include "experiments/findings_files.hpp"

namespace fedrk::test {

/// One figure of the experiment's name, one table, one verdict.
inline experiments::Finished made_up(const std::string& name, bool holds) {
  experiments::Finished finished{.findings = {}, .seconds = 1.5, .version = "0.0"};
  finished.findings.name = name;
  finished.findings.title = "Title of " + name;
  finished.findings.set_up = "two points <&>";
  finished.findings.judgements = {{holds, "one is less than two & <three>"}};
  finished.findings.figures = {
      {name, "caption of " + name, io::LinePlot{.title = "plot", .series = {{"s", {{1, 1}, {2, 2}}}}}}};
  finished.findings.tables = {{name, {"a, b", "c"}, {{"1", "x \"y\""}, {"2.5", ""}}}};
  return finished;
}

}  // namespace fedrk::test

// SPDX-License-Identifier: Apache-2.0
#include "present.hpp"

#include <fmt/format.h>

#include "api/fit_text.hpp"
#include "api/solve_text.hpp"
#include "commands.hpp"
#include "fedrk/io/report.hpp"

namespace fedrk::app {
namespace {

std::string text_of(const io::FinishedRun& run) {
  return run.plan.job == io::Job::Fit ? api::fit_text(run, ", in solution.csv of a run with --out")
                                      : api::solve_text(run);
}

int exit_code_for(const io::FinishedRun& run) {
  switch (status_of(run.result.termination, run.converged)) {
    case RunStatus::Completed:
      return kDone;
    case RunStatus::Unconverged:
    case RunStatus::Stopped:
      return kStoppedEarly;
    case RunStatus::Failed:
      break;
  }
  return kRunFailed;
}

}  // namespace

Result<std::filesystem::path> write_files(const io::FinishedRun& run, const std::filesystem::path& folder) {
  if (const auto written = io::write_run_files(folder, run); !written) return written.error();
  return io::write_report(folder, run);
}

int present(const io::FinishedRun& run, OutputFormat format, const std::filesystem::path& report) {
  const bool json = format == OutputFormat::Json;
  const std::string where = report.empty() ? "" : fmt::format("\nReport: {}\n", report.string());
  if (json) say(where);
  if (run.converged == false) {
    say(fmt::format("Warning: not converged: {}. The numbers are the best that were found, not the answer.\n",
                    io::stop_words(run)));
  }
  for (const std::string& warning : run.warnings) say("Note:\n" + wrapped(warning, 96, 2) + "\n");
  if (!print_result(json ? io::result_json(run) : text_of(run) + where)) return kRunFailed;
  return exit_code_for(run);
}

}  // namespace fedrk::app

// SPDX-License-Identifier: Apache-2.0
#include "execute.hpp"

#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "checkpoint/journal_engine.hpp"
#include "report/privacy_forecast_text.hpp"
#include "report/report.hpp"
#include "report/result_files.hpp"
#include "report/run_text.hpp"

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

void or_throw(const Result<void>& done) {
  if (!done) throw store::StoreFailed(done.error().message);
}

template <class Number>
std::string_view bytes_of(std::span<const Number> numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()};  // NOLINT: as they are in memory
}

void close_books(const io::FinishedRun& run, store::RunStore& store) {
  const Termination why = run.result.termination;
  const std::string state = io::status_of(run), reason = io::stop_reason_of(why);
  or_throw(store.put_document("x", bytes_of(std::span(run.result.x))));
  or_throw(store.put_document("selection_counts", bytes_of(std::span(run.selection_counts))));
  or_throw(store.add_event("info", "ended", io::stop_text(run)));
  or_throw(resumable(why) ? store.set_state(state, reason) : store.finish(state, reason));
}

}  // namespace

io::FinishedRun show_run(Engine& engine, const io::Plan& plan, io::Problem problem, api::RunPlanOptions options,
                         ProgressStyle style) {
  const std::string expected = api::privacy_forecast_text(plan, engine.roster(), engine.dimension());
  if (!expected.empty()) say("fedrk: forecast: " + expected + '\n');
  ProgressDisplay progress(style, io::resolve(plan, engine.roster()).run.rounds);
  options.on_refit = [&progress](std::size_t rounds) { progress.begin_refit(rounds); };
  options.observers.insert(options.observers.begin(), &progress);
  io::FinishedRun run = api::run_plan(engine, plan, std::move(problem), options);
  progress.finish();
  return run;
}

int present(const io::FinishedRun& run, OutputFormat format, const std::filesystem::path& report) {
  const bool json = format == OutputFormat::Json;
  const std::string where = report.empty() ? "" : fmt::format("\nReport: {}\n", report.string());
  if (json) say(where);
  if (run.converged == false) {
    say(fmt::format("Warning: not converged: {}. The numbers are the best that were found, not the answer.\n",
                    io::stop_text(run)));
  }
  for (const std::string& warning : run.warnings) say("Note:\n" + wrapped(warning, 96, 2) + "\n");
  if (!print_result(json ? io::result_json(run) : text_of(run) + where)) return kRunFailed;
  return exit_code_for(run);
}

int execute(Engine& inner, const io::Plan& plan, io::Problem problem, RunFolder& run_folder, ExecuteOptions options) {
  store::RunJournal journal(run_folder.store, options.policy);
  store::JournalEngine engine(inner, journal, options.run.stop);
  store::RoundRecorder recorder(journal);
  options.run.observers.push_back(&recorder);
  or_throw(run_folder.store.set_state("running"));
  or_throw(run_folder.store.add_event("info", journal.found() > 0 ? "resumed" : "started",
                                      journal.first() > 0
                                          ? fmt::format("from question {}, with {} answers in run.db", journal.first(),
                                                        journal.found() - journal.first())
                                          : fmt::format("with {} answers in run.db", journal.found())));
  const io::FinishedRun run = show_run(engine, plan, std::move(problem), options.run, options.progress);
  resumable(run.result.termination) ? journal.flush() : journal.flush_rounds();
  // The files first: whatever becomes of the terminal or of this process, the result is safe.
  if (const auto written = io::write_run_files(run_folder.folder, run); !written) {
    return complain(written.error().message, kRunFailed);
  }
  const auto report = io::write_report(run_folder.folder, run);
  if (!report) return complain(report.error().message, kRunFailed);
  close_books(run, run_folder.store);
  if (options.on_end) options.on_end(run);
  return present(run, options.format, *report);
}

}  // namespace fedrk::app

// SPDX-License-Identifier: Apache-2.0

// fedrk resume: goes on with a run whose process ended before the run did.

#include "resume.hpp"

#include <filesystem>
#include <memory>
#include <sstream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "commands.hpp"
#include "fedrk/engine/in_process_engine.hpp"
#include "fedrk/io/federation.hpp"
#include "interrupt.hpp"
#include "privacy_check.hpp"
#include "threads_flag.hpp"

namespace fedrk::app {
namespace {

/// The first line in which the plans differ, for a person.
std::string first_difference(const std::string& before, const std::string& now) {
  std::istringstream first(before), second(now);
  std::string was, is;
  while (std::getline(first, was)) {
    if (!std::getline(second, is)) is.clear();
    if (was != is) break;
  }
  return fmt::format("it says '{}' where the run began with '{}'", is, was);
}

/// The plan of the folder, if it is still the one that the run began with.
Result<io::Plan> same_plan(const KeptRun& kept) {
  io::Plan plan;
  const std::filesystem::path path = kept.folder / "plan.toml";
  if (const auto read = io::read_plan(path, plan); !read) return read.error();
  const std::string text = io::plan_text(plan, kept.folder), before = kept.store.identity().plan;
  if (text == before) return plan;
  return Error{fmt::format("{} is not the plan of this run any more: {}; put it back, or begin anew with fedrk solve",
                           path.string(), first_difference(before, text))};
}

int resume(const ResumeArguments& arguments) {
  const std::filesystem::path path = std::filesystem::path(arguments.folder) / "run.db";
  if (std::filesystem::exists(path)) {
    const auto store = store::RunStore::open(path, store::RunStore::Access::Read);
    if (!store) return complain(store.error().message, kBadInput);
    if (store->identity().kind == store::RunKind::Server) return resume_server(arguments);
  }
  auto kept = reopen_kept_run(arguments.folder);
  if (!kept) return complain(kept.error().message, kBadInput);
  return resume_solve(arguments, *kept);
}

}  // namespace

int resume_solve(const ResumeArguments& arguments, KeptRun& kept) {
  const auto threads = thread_count(arguments.threads);
  if (!threads) return complain(threads.error().message, kBadInput);
  const auto plan = same_plan(kept);
  if (!plan) return complain(plan.error().message, kBadInput);
  auto federation = io::make_federation(*plan);
  if (!federation) return complain(federation.error().message, kBadInput);
  InProcessEngine engine(std::move(federation->clients), *threads);
  const std::string changed = store::difference(kept.store.identity().roster, engine.roster());
  if (!changed.empty()) {
    return complain(fmt::format("the data are not those that the run in {} began with: {}", arguments.folder, changed),
                    kBadInput);
  }
  if (const auto restored = store::restore_slack(kept.store, engine); !restored) {
    return complain(restored.error().message, kBadInput);
  }
  const auto progress = kept.store.progress(0);
  if (!progress) return complain(progress.error().message, kRunFailed);
  say(fmt::format("{}: {} rounds are in run.db, going on from there\n", arguments.folder, progress->answered_rounds));
  CarryOutOptions options{{kept.store.identity().title, arguments.progress, {}, &stop_on_interrupt()},
                          arguments.format,
                          store::CommitPolicy::Intervals,
                          [&](ClientId client) { return engine.slack_state(client); }};
  if (plan->method.privacy.on()) federation->problem.warnings.emplace_back(kPrivacyTrial);
  return carry_out(engine, *plan, std::move(federation->problem), kept, std::move(options));
}

void add_resume(CLI::App& program, int& exit_code) {
  auto* command = program.add_subcommand("resume", "go on with a run that was stopped or killed");
  const auto arguments = std::make_shared<ResumeArguments>();
  format_help(*command);
  command->add_option("run", arguments->folder, "folder of the run, as given to fedrk solve or fedrk server as --out")
      ->required()
      ->type_name("DIR");
  add_format_flag(*command, arguments->format);
  add_progress_flag(*command, arguments->progress);
  add_threads_flag(*command, arguments->threads);
  command->footer(
      "Ends with the same solution, to the bit, as if nothing had happened. Plan and data must be those that the run\n"
      "began with.\n\nExample:\n  fedrk resume runs/demo");
  command->callback([arguments, &exit_code] { exit_code = resume(*arguments); });
}

}  // namespace fedrk::app

// SPDX-License-Identifier: Apache-2.0

// fedrk resume: goes on with a run whose process ended before the run did.

#include <filesystem>
#include <memory>
#include <sstream>

#include <fmt/format.h>

#include "commands.hpp"
#include "execute.hpp"
#include "flags.hpp"
#include "launcher.hpp"
#include "plan/plan_options.hpp"
#include "report/privacy_forecast_text.hpp"
#include "run_folder.hpp"
#include "signals.hpp"

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
Result<io::Plan> same_plan(const RunFolder& run_folder) {
  io::Plan plan;
  const std::filesystem::path path = run_folder.folder / "plan.toml";
  if (const auto read = io::read_plan(path, plan); !read) return read.error();
  const std::string text = io::plan_text(plan, run_folder.folder), before = run_folder.store.identity().plan;
  if (text == before) return plan;
  return Error{fmt::format("{} is not the plan of this run any more: {}; put it back, or begin anew with fedrk {}",
                           path.string(), first_difference(before, text), io::to_text(plan.job))};
}

/// One process has the run; those who only help need its plan alone.
Result<RunFolder> open_run(const std::filesystem::path& folder) {
  auto run_folder = reopen_run_folder(folder);
  if (run_folder && run_folder->store.identity().kind == store::RunKind::Server) {
    return Error{
        fmt::format("the run in {0} is that of a server; \"fedrk resume {0}\" goes on with it", folder.string())};
  }
  return run_folder;
}

int help_resume(const ResumeArguments& arguments, Launcher& launcher) {
  io::Plan plan;
  const auto read = io::read_plan(std::filesystem::path(arguments.folder) / "plan.toml", plan);
  if (const auto fine = launcher.agree(read); !fine) return kBadInput;
  return launcher.launch(plan, arguments.threads) ? kDone : kBadInput;
}

int resume_run(const ResumeArguments& arguments, Launcher& launcher) {
  if (!launcher.leads()) return help_resume(arguments, launcher);
  auto run_folder = open_run(arguments.folder);
  const auto plan = run_folder ? same_plan(*run_folder) : Result<io::Plan>(run_folder.error());
  if (const auto fine = launcher.agree(plan ? Result<void>{} : plan.error()); !fine)
    return complain(fine.error().message, kBadInput);
  auto federation = launcher.launch(*plan, arguments.threads);
  if (!federation) return complain(federation.error().message, kBadInput);
  Engine& engine = *federation->engine;
  const std::string changed = store::difference(run_folder->store.identity().roster, engine.roster());
  if (!changed.empty()) {
    return complain(fmt::format("the data are not those that the run in {} began with: {}", arguments.folder, changed),
                    kBadInput);
  }
  const auto progress = run_folder->store.progress(0);
  if (!progress) return complain(progress.error().message, kRunFailed);
  say(fmt::format("{}: {} rounds are in run.db, going on from there\n", arguments.folder, progress->answered_rounds));
  ExecuteOptions options{{run_folder->store.identity().title, {}, &stop_on_interrupt()},
                         arguments.progress,
                         arguments.format,
                         store::CommitPolicy::Intervals};
  if (plan->method.privacy.on()) federation->problem.warnings.emplace_back(api::kPrivacyTrial);
  return execute(engine, *plan, std::move(federation->problem), *run_folder, std::move(options));
}

bool is_of_server(const std::filesystem::path& folder) {
  if (!std::filesystem::exists(folder / "run.db")) return false;
  const auto store = store::RunStore::open(folder / "run.db", store::RunStore::Access::Read);
  return store && store->identity().kind == store::RunKind::Server;
}

}  // namespace

Command resume_command(Launcher& launcher, std::function<int(const ResumeArguments&)> of_server) {
  const auto arguments = std::make_shared<ResumeArguments>();
  return {
      .name = "resume",
      .about = "continue a run that was stopped or killed",
      .arguments = {run_argument(arguments->folder, "folder of the run (--out of fedrk fit, solve or server)")},
      .flags = {format_flag(arguments->format), progress_flag(arguments->progress), threads_flag(arguments->threads)},
      .footer =
          "Ends with the same solution, to the bit, as if nothing had happened. Plan and data must be those "
          "that the run\nbegan with.\n\nExample:\n  fedrk resume runs/demo",
      .run = [arguments, &launcher, of_server = std::move(of_server)] {
        const bool server = of_server && is_of_server(arguments->folder);
        return server ? of_server(*arguments) : resume_run(*arguments, launcher);
      }};
}

}  // namespace fedrk::app

// SPDX-License-Identifier: Apache-2.0

// Going on with a run whose clients live with it.

#include <filesystem>
#include <memory>
#include <sstream>

#include <fmt/format.h>

#include "api/privacy_forecast_words.hpp"
#include "commands.hpp"
#include "fedrk/io/plan_options.hpp"
#include "flags.hpp"
#include "interrupt.hpp"
#include "launcher.hpp"
#include "resume.hpp"

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
  return Error{fmt::format("{} is not the plan of this run any more: {}; put it back, or begin anew with fedrk {}",
                           path.string(), first_difference(before, text), io::to_text(plan.goal))};
}

/// One process has the run; those who only help need its plan alone.
Result<KeptRun> open_run(const std::filesystem::path& folder) {
  auto kept = reopen_kept_run(folder);
  if (kept && kept->store.identity().kind == store::RunKind::Server) {
    return Error{
        fmt::format("the run in {0} is that of a server; \"fedrk resume {0}\" goes on with it", folder.string())};
  }
  return kept;
}

int help_resume(const ResumeArguments& arguments, Host& host) {
  io::Plan plan;
  const auto read = io::read_plan(std::filesystem::path(arguments.folder) / "plan.toml", plan);
  if (const auto fine = host.agree(read); !fine) return kBadInput;
  return host.host(plan, arguments.threads) ? kDone : kBadInput;
}

}  // namespace

int resume_run(const ResumeArguments& arguments, Host& host) {
  if (!host.leads()) return help_resume(arguments, host);
  auto kept = open_run(arguments.folder);
  const auto plan = kept ? same_plan(*kept) : Result<io::Plan>(kept.error());
  if (const auto fine = host.agree(plan ? Result<void>{} : plan.error()); !fine)
    return complain(fine.error().message, kBadInput);
  auto hosted = host.host(*plan, arguments.threads);
  if (!hosted) return complain(hosted.error().message, kBadInput);
  Engine& engine = *hosted->engine;
  const std::string changed = store::difference(kept->store.identity().roster, engine.roster());
  if (!changed.empty()) {
    return complain(fmt::format("the data are not those that the run in {} began with: {}", arguments.folder, changed),
                    kBadInput);
  }
  const auto progress = kept->store.progress(0);
  if (!progress) return complain(progress.error().message, kRunFailed);
  say(fmt::format("{}: {} rounds are in run.db, going on from there\n", arguments.folder, progress->answered_rounds));
  CarryOutOptions options{{kept->store.identity().title, {}, &stop_on_interrupt()},
                          arguments.progress,
                          arguments.format,
                          store::CommitPolicy::Intervals};
  if (plan->method.privacy.on()) hosted->problem.warnings.emplace_back(api::kPrivacyTrial);
  return carry_out(engine, *plan, std::move(hosted->problem), *kept, std::move(options));
}

Command resume_command(std::function<int(const ResumeArguments&)> resume) {
  const auto arguments = std::make_shared<ResumeArguments>();
  return {
      .name = "resume",
      .about = "continue a run that was stopped or killed",
      .arguments = {run_argument(arguments->folder, "folder of the run (--out of fedrk fit, solve or server)")},
      .flags = {format_flag(arguments->format), progress_flag(arguments->progress), threads_flag(arguments->threads)},
      .footer =
          "Ends with the same solution, to the bit, as if nothing had happened. Plan and data must be those "
          "that the run\nbegan with.\n\nExample:\n  fedrk resume runs/demo",
      .run = [arguments, resume = std::move(resume)] { return resume(*arguments); }};
}

}  // namespace fedrk::app

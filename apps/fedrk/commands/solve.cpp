// SPDX-License-Identifier: Apache-2.0

// fedrk solve: a linear system whose rows are spread over owners; and what it shares with fedrk fit.

#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "commands.hpp"
#include "execute.hpp"
#include "launcher.hpp"
#include "plan_flags.hpp"
#include "report/privacy_forecast_text.hpp"
#include "run_folder.hpp"
#include "signals.hpp"

namespace fedrk::app {
namespace {

namespace fs = std::filesystem;

struct ExecuteArguments {
  PlanFlags plan;
  std::string out;
  bool overwrite = false;
  std::size_t threads = 0;  // 0: all cores
  OutputFormat format = OutputFormat::Text;
  ProgressStyle progress = ProgressStyle::Auto;
};

// The run is named after its folder, its plan or its first file.
std::string title_of(const ExecuteArguments& arguments, const io::Plan& plan) {
  if (!arguments.out.empty()) return fs::absolute(arguments.out).lexically_normal().filename().string();
  if (!arguments.plan.plan_file().empty()) return fs::path(arguments.plan.plan_file()).stem().string();
  return fs::path(plan.data.empty() ? plan.matrix.front() : plan.data.front()).stem().string();
}

int run_command(const ExecuteArguments& arguments, Launcher& launcher) {
  const auto plan = arguments.plan.plan();
  if (const auto fine = launcher.agree(plan ? Result<void>{} : plan.error()); !fine)
    return complain(fine.error().message, kBadInput);
  auto federation = launcher.launch(*plan, arguments.threads);
  if (!federation) return complain(federation.error().message, kBadInput);
  if (federation->engine == nullptr) return kDone;
  if (!arguments.out.empty()) {
    if (const auto ready = check_folder(arguments.out, arguments.overwrite); !ready) {
      return complain(ready.error().message, kBadInput);
    }
  }
  Engine& engine = *federation->engine;
  if (plan->method.privacy.on()) federation->problem.warnings.emplace_back(api::kPrivacyTrial);
  api::RunPlanOptions options{title_of(arguments, *plan), {}, &stop_on_interrupt()};
  if (arguments.out.empty()) {
    return present(show_run(engine, *plan, std::move(federation->problem), options, arguments.progress),
                   arguments.format);
  }

  api::privacy_forecast_text(*plan, engine.roster(), engine.dimension());  // a hopeless plan leaves no run behind
  auto run_folder = begin_run_folder(arguments.out, *plan,
                                     {.kind = store::RunKind::Solve,
                                      .title = options.title,
                                      .roster = {engine.roster().begin(), engine.roster().end()}});
  if (!run_folder) return complain(run_folder.error().message, kRunFailed);
  say(launcher.advice(arguments.out));
  return execute(engine, *plan, std::move(federation->problem), *run_folder,
                 {std::move(options), arguments.progress, arguments.format, store::CommitPolicy::Intervals});
}

}  // namespace

Command execute_command(std::string name, io::Job goal, Launcher& launcher) {
  const auto arguments = std::make_shared<ExecuteArguments>();
  Command command{.name = std::move(name), .about = "", .arguments = {}, .flags = {}, .run = {}};
  arguments->plan.add_to(command, goal);
  command.flags.push_back({.name = "out",
                           .value = "DIR",
                           .help = "folder for results and report; fedrk resume continues it",
                           .set = text(arguments->out),
                           .group = "Output"});
  command.flags.push_back({.name = "overwrite",
                           .value = "",
                           .help = "replace an earlier run in --out",
                           .set = on(arguments->overwrite),
                           .group = "Output",
                           .common = false});
  append(command.flags,
         {format_flag(arguments->format), progress_flag(arguments->progress), threads_flag(arguments->threads)});
  for (const char* rare : {"progress", "threads"}) find_flag(command.flags, rare).common = false;
  command.run = [arguments, &launcher] { return run_command(*arguments, launcher); };
  return command;
}

Command solve_command(Launcher& launcher) {
  Command command = execute_command("solve", io::Job::Solve, launcher);
  command.about = "solve a linear system whose rows belong to several owners, " + launcher.where();
  command.footer =
      "Examples:\n"
      "  fedrk solve A.mtx --rhs b.mtx --clients 16 --participants 5 --local-steps inf --tolerance 1e-10\n"
      "  fedrk solve site-1.csv site-2.csv --target lpsa --standardize --intercept --keep 5 --rounds 2000 \\\n"
      "              --seed 1 --out runs/demo\n"
      "  fedrk solve plan.toml --seed 7 --format json\n\n"
      "--no-NAME turns off a switch of a plan, such as --no-intercept.\n"
      "Exit codes: 0 done and converged; 1 the run failed; 2 bad usage or input; 3 stopped, or not converged.";
  return command;
}

}  // namespace fedrk::app

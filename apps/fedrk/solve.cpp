// SPDX-License-Identifier: Apache-2.0

// fedrk solve: a linear system whose rows are spread over owners; and what it shares with fedrk fit.

#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "api/privacy_forecast_words.hpp"
#include "carry_out_command.hpp"
#include "commands.hpp"
#include "help.hpp"
#include "host.hpp"
#include "interrupt.hpp"
#include "kept_run.hpp"
#include "present.hpp"
#include "show_run.hpp"
#include "threads_flag.hpp"

namespace fedrk::app {
namespace {

namespace fs = std::filesystem;

// The run is named after its folder, its plan or its first file.
std::string title_of(const CarryOutArguments& arguments, const io::Plan& plan) {
  if (!arguments.out.empty()) return fs::absolute(arguments.out).lexically_normal().filename().string();
  if (!arguments.plan.plan_file().empty()) return fs::path(arguments.plan.plan_file()).stem().string();
  return fs::path(plan.data.empty() ? plan.matrix.front() : plan.data.front()).stem().string();
}

}  // namespace

int carry_out_command(const CarryOutArguments& arguments, Host& host) {
  const auto plan = arguments.plan.plan();
  const auto threads = thread_count(arguments.threads);
  if (const auto fine = host.agree(both(plan, threads)); !fine) return complain(fine.error().message, kBadInput);
  auto hosted = host.host(*plan, *threads);
  if (!hosted) return complain(hosted.error().message, kBadInput);
  if (hosted->engine == nullptr) return kDone;
  if (!arguments.out.empty()) {
    if (const auto ready = check_folder(arguments.out, arguments.overwrite); !ready) {
      return complain(ready.error().message, kBadInput);
    }
  }
  Engine& engine = *hosted->engine;
  if (plan->method.privacy.on()) hosted->problem.warnings.emplace_back(api::kPrivacyTrial);
  api::RunPlanOptions options{title_of(arguments, *plan), {}, &stop_on_interrupt()};
  if (arguments.out.empty()) {
    return present(show_run(engine, *plan, std::move(hosted->problem), options, arguments.progress), arguments.format);
  }

  api::privacy_forecast_words(*plan, engine.roster(), engine.dimension());  // a hopeless plan leaves no run behind
  auto kept = begin_kept_run(arguments.out, *plan,
                             {.kind = store::RunKind::Solve,
                              .title = options.title,
                              .roster = {engine.roster().begin(), engine.roster().end()}});
  if (!kept) return complain(kept.error().message, kRunFailed);
  say(host.advice(arguments.out));
  return carry_out(engine, *plan, std::move(hosted->problem), *kept,
                   {std::move(options), arguments.progress, arguments.format, store::CommitPolicy::Intervals});
}

void add_flags(CLI::App& command, io::Job goal, CarryOutArguments& arguments) {
  format_help(command);
  arguments.plan.add_to(command, goal);
  command.add_option("--out", arguments.out, "folder for results and report; fedrk resume continues it")
      ->type_name("DIR")
      ->group("Output");
  only_in_help_all(
      command,
      command.add_flag("--overwrite", arguments.overwrite, "replace an earlier run in --out")->group("Output"));
  add_format_flag(command, arguments.format);
  add_progress_flag(command, arguments.progress);
  add_threads_flag(command, arguments.threads);
  for (const char* flag : {"--progress", "--threads"}) only_in_help_all(command, command.get_option(flag));
}

void add_solve(CLI::App& program, int& exit_code, Host& host) {
  auto* command =
      program.add_subcommand("solve", "solve a linear system whose rows belong to several owners, " + host.where());
  const auto arguments = std::make_shared<CarryOutArguments>();
  add_flags(*command, io::Job::Solve, *arguments);
  command->footer(
      "Examples:\n"
      "  fedrk solve A.mtx --rhs b.mtx --clients 16 --participants 5 --local-steps inf --tolerance 1e-10\n"
      "  fedrk solve site-1.csv site-2.csv --target lpsa --standardize --intercept --keep 5 --rounds 2000 \\\n"
      "              --seed 1 --out runs/demo\n"
      "  fedrk solve plan.toml --seed 7 --format json\n\n"
      "--no-NAME turns off a switch of a plan, such as --no-intercept.\n"
      "Exit codes: 0 done and converged; 1 the run failed; 2 bad usage or input; 3 stopped, or not converged.");
  command->callback([arguments, &exit_code, &host] { exit_code = carry_out_command(*arguments, host); });
}

}  // namespace fedrk::app

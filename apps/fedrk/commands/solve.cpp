// SPDX-License-Identifier: Apache-2.0

// fedrk solve: a linear system whose rows are spread over owners; and what it shares with fedrk fit.

#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "api/privacy_forecast_words.hpp"
#include "carry_out_command.hpp"
#include "commands.hpp"
#include "interrupt.hpp"
#include "launcher.hpp"
#include "plan_flags.hpp"
#include "present.hpp"
#include "run_folder.hpp"
#include "show_run.hpp"

namespace fedrk::app {
namespace {

namespace fs = std::filesystem;

struct CarryOutArguments {
  PlanFlags plan;
  std::string out;
  bool overwrite = false;
  std::size_t threads = 0;  // 0: all cores
  OutputFormat format = OutputFormat::Text;
  ProgressStyle progress = ProgressStyle::Auto;
};

// The run is named after its folder, its plan or its first file.
std::string title_of(const CarryOutArguments& arguments, const io::Plan& plan) {
  if (!arguments.out.empty()) return fs::absolute(arguments.out).lexically_normal().filename().string();
  if (!arguments.plan.plan_file().empty()) return fs::path(arguments.plan.plan_file()).stem().string();
  return fs::path(plan.data.empty() ? plan.matrix.front() : plan.data.front()).stem().string();
}

int run_plan(const CarryOutArguments& arguments, Host& host) {
  const auto plan = arguments.plan.plan();
  if (const auto fine = host.agree(plan ? Result<void>{} : plan.error()); !fine)
    return complain(fine.error().message, kBadInput);
  auto hosted = host.host(*plan, arguments.threads);
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

  io::Plan settled = *plan;
  settled.settle(engine.roster());
  api::privacy_forecast_words(settled, engine.roster(), engine.dimension());  // a hopeless plan leaves no run behind
  auto kept = begin_kept_run(arguments.out, settled,
                             {.kind = store::RunKind::Solve,
                              .title = options.title,
                              .roster = {engine.roster().begin(), engine.roster().end()}});
  if (!kept) return complain(kept.error().message, kRunFailed);
  say(host.advice(arguments.out));
  return carry_out(engine, *plan, std::move(hosted->problem), *kept,
                   {std::move(options), arguments.progress, arguments.format, store::CommitPolicy::Intervals});
}

}  // namespace

Command carry_out_command(std::string name, io::Goal goal, Host& host) {
  const auto arguments = std::make_shared<CarryOutArguments>();
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
  command.run = [arguments, &host] { return run_plan(*arguments, host); };
  return command;
}

Command solve_command(Host& host) {
  Command command = carry_out_command("solve", io::Goal::Solve, host);
  command.about = "solve a linear system whose rows belong to several owners, " + host.where();
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

// SPDX-License-Identifier: Apache-2.0
#include "plan_flags.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "fedrk/io/given_files.hpp"
#include "fedrk/io/plan_options.hpp"
#include "help.hpp"

namespace fedrk::app {

namespace {

// A fit has an intercept unless it is told otherwise, so the flag to show is the one that tells.
void show_no_intercept(CLI::App& command) {
  command.get_option("--no-intercept")->group("Data")->description("fit no intercept");
  only_in_help_all(command, command.get_option("--intercept"));
}

}  // namespace

void PlanFlags::add_to(CLI::App& command, std::optional<io::Job> goal) {
  const auto is_entry = [goal](const io::PlanOption& option) {
    return !goal || (option.name != "goal" && io::is_for(option, *goal));
  };
  add_to(command, goal, is_entry);
  if (goal != io::Job::Fit) return;
  show_no_intercept(command);
  for (const io::PlanOption& option : io::plan_options()) {
    if (option.name != "goal") refuse_flag(command, "--" + std::string(option.name), "an option of fedrk solve");
  }
}

void PlanFlags::add_to(CLI::App& command, std::optional<io::Job> goal,
                       const std::function<bool(const io::PlanOption&)>& wanted) {
  goal_ = goal;
  command
      .add_option("files", files_,
                  "tables (.csv, .tsv, .svm) or matrices (.mtx, .npy), one per client or one to split; or a plan "
                  "(.toml), whose entries are named like the options; options override it")
      ->type_name("FILE...");
  flags_.add_to(command, io::plan_options(), wanted);
  const io::Job meant = goal.value_or(io::Job::Solve);
  for (const io::PlanOption& option : io::plan_options()) {
    if (!wanted(option)) continue;
    CLI::Option* flag = command.get_option("--" + std::string(option.name));
    flag->description(std::string(help_for(option, meant)));
    if (!is_common(option, meant)) only_in_help_all(command, flag);
  }
  CLI::Option* site = command.add_option("--site", site_, "column that names the site of each row of one table");
  site->type_name("COLUMN")->group("Data");
  if (meant != io::Job::Fit) only_in_help_all(command, site);
}

Result<void> PlanFlags::check_goal(const io::Plan& plan) const {
  if (!goal_ || plan.job == *goal_) return {};
  return Error{fmt::format("{0} is a plan for fedrk {1}: run \"fedrk {1} {0}\"", plan_file(), to_text(plan.job))};
}

Result<io::Plan> PlanFlags::plan() const {
  const auto given = io::sort_files(files_);
  if (!given) return given.error();
  io::Plan plan;
  if (goal_) plan.set_job(*goal_);
  if (!given->plan.empty()) {
    if (const auto read = io::read_plan(given->plan, plan); !read) return read.error();
    if (const auto fine = check_goal(plan); !fine) return fine.error();
  }
  given->put_into(plan);
  if (const auto done = flags_.apply_to(plan); !done) return done.error();
  if (!site_.empty()) {
    if (flags_.given("partition")) return Error{"--site and --partition both say how to split: give one"};
    plan.partition = "by:" + site_;
  }
  if (flags_.given("data")) plan.data.insert(plan.data.begin(), given->data.begin(), given->data.end());
  if (flags_.given("matrix")) plan.matrix.insert(plan.matrix.begin(), given->matrix.begin(), given->matrix.end());
  return plan;
}

std::string PlanFlags::plan_file() const {
  const auto given = io::sort_files(files_);
  return given ? given->plan : "";
}

}  // namespace fedrk::app

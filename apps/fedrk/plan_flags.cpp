// SPDX-License-Identifier: Apache-2.0
#include "plan_flags.hpp"

#include <fmt/format.h>

#include "plan/given_files.hpp"

namespace fedrk::app {

void PlanFlags::add_to(Command& command, std::optional<io::Job> goal) {
  add_to(command, goal, [goal](const io::PlanOption& option) {
    return !goal || (option.name != "goal" && io::is_for(option, *goal));
  });
  if (goal != io::Job::Fit) return;
  // A fit has an intercept unless it is told otherwise, so the flag to show is the one that tells.
  Flag& without = find_flag(command.flags, "no-intercept");
  without.group = "Data";
  without.help = "fit no intercept";
  find_flag(command.flags, "intercept").common = false;
  for (const io::PlanOption& option : io::plan_options()) {
    if (option.name != "goal") command.refused.push_back({std::string(option.name), "an option of fedrk solve"});
  }
}

void PlanFlags::add_to(Command& command, std::optional<io::Job> goal,
                       const std::function<bool(const io::PlanOption&)>& wanted) {
  goal_ = goal;
  const io::Job meant = goal.value_or(io::Job::Solve);
  command.arguments.push_back(
      {"files", "FILE...",
       "tables (.csv, .tsv, .svm) or matrices (.mtx, .npy), one per client or one to split; or a plan (.toml), whose "
       "entries are named like the options; options override it",
       texts(files_)});
  command.flags = flags_.flags(io::plan_options(), wanted);
  for (Flag& flag : command.flags) {
    const io::PlanOption* option = io::find_plan_option(flag.name);
    if (option == nullptr) continue;  // --no-NAME
    flag.help = help_for(*option, meant);
    flag.common = is_common(*option, meant);
  }
  command.flags.push_back({.name = "site",
                           .value = "COLUMN",
                           .help = "column that names the site of each row of one table",
                           .set = text(site_),
                           .group = "Data",
                           .common = meant == io::Job::Fit});
}

Result<io::Plan> PlanFlags::plan() const {
  const auto given = io::sort_files(files_);
  if (!given) return given.error();
  io::Plan plan;
  if (goal_) plan.set_job(*goal_);
  if (!given->plan.empty()) {
    if (const auto read = io::read_plan(given->plan, plan); !read) return read.error();
    if (goal_ && plan.job != *goal_) {
      return Error{fmt::format("{0} is a plan for fedrk {1}: run \"fedrk {1} {0}\"", given->plan, to_text(plan.job))};
    }
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

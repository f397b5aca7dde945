// SPDX-License-Identifier: Apache-2.0
#include "plan_flags.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "fedrk/io/given_files.hpp"
#include "fedrk/io/plan_options.hpp"

namespace fedrk::app {

void PlanFlags::add_to(CLI::App& command, std::optional<io::Goal> goal) {
  goal_ = goal;
  command
      .add_option("files", files_,
                  "tables (.csv, .tsv, .svm) or matrices (.mtx, .npy), one for each client or one to split; or a plan "
                  "(.toml) with any of the entries below, over which flags win")
      ->type_name("FILE...");
  const auto wanted = [&](const io::PlanOption& option) {
    return !goal || (option.name != "goal" && io::is_for(option, *goal));
  };
  flags_.add_to(command, io::plan_options(), wanted);
  for (const io::PlanOption& option : io::plan_options()) {
    if (!goal || !wanted(option)) continue;
    command.get_option("--" + std::string(option.name))->description(std::string(help_for(option, *goal)));
  }
  command.add_option("--site", site_, "split one table by this column: short for --partition by:COLUMN")
      ->type_name("COLUMN")
      ->group("Data");
}

Result<void> PlanFlags::check_goal(const io::Plan& plan) const {
  if (!goal_ || plan.goal == *goal_) return {};
  return Error{fmt::format("{0} is a plan for fedrk {1}: run \"fedrk {1} {0}\"", plan_file(), to_text(plan.goal))};
}

Result<io::Plan> PlanFlags::plan() const {
  const auto given = io::sort_files(files_);
  if (!given) return given.error();
  io::Plan plan;
  if (goal_) plan.set_goal(*goal_);
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

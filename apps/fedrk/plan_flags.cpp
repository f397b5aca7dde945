// SPDX-License-Identifier: Apache-2.0
#include "plan_flags.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "fedrk/io/plan_options.hpp"

namespace fedrk::app {

void PlanFlags::add_to(CLI::App& command) {
  command.add_option("plan", plan_file_, "TOML file with any of the entries below; a flag wins over it")
      ->type_name("PLAN");
  const io::Plan defaults;
  for (const io::PlanOption& entry : io::plan_options()) {
    const std::string name(entry.name);
    std::vector<std::string>& values = given_[name];
    CLI::Option* option = nullptr;
    if (entry.kind == io::OptionKind::Switch) {
      const auto turn = [&values](std::string to) { return [&values, to](std::int64_t) { values = {to}; }; };
      option = command.add_flag_function("--" + name, turn("true"), std::string(entry.help));
      // For a plan that says yes and a run that should not; not worth a line of help.
      command.add_flag_function("--no-" + name, turn("false"))->group("");
    } else {
      option = command.add_option("--" + name, values, std::string(entry.help));
      option->allow_extra_args(false)->type_name(std::string(entry.placeholder));
      const auto shown = entry.get(defaults);
      if (!shown.empty()) option->default_str(fmt::format("{}", fmt::join(shown, ",")));
    }
    option->group(std::string(entry.group));
  }
}

Result<io::Plan> PlanFlags::plan() const {
  io::Plan plan;
  if (!plan_file_.empty()) {
    if (const auto read = io::read_plan(plan_file_, plan); !read) return read.error();
  }
  for (const auto& [name, values] : given_) {
    if (values.empty()) continue;
    if (const auto done = io::find_plan_option(name)->set(plan, values); !done) {
      return Error{fmt::format("--{}: {}", name, done.error().message)};
    }
  }
  return plan;
}

}  // namespace fedrk::app

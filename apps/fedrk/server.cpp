// SPDX-License-Identifier: Apache-2.0

// fedrk server: coordinates a run over the network.

#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "commands.hpp"
#include "fedrk/io/plan_options.hpp"
#include "fedrk/network/settings.hpp"
#include "option_flags.hpp"
#include "output.hpp"
#include "resume.hpp"
#include "server_run.hpp"

namespace fedrk::app {
namespace {

namespace fs = std::filesystem;
using network::ServerSettings;

struct ServerArguments {
  std::string file, plan_file;
  OptionFlags<ServerSettings> flags;
  OptionFlags<io::Plan> plan_flags;
  ServeOptions serve;
};

// The rows are with the clients, and so is how they are split.
bool is_about_files(const io::PlanOption& option) {
  return option.kind == io::OptionKind::Paths || option.name == "clients" || option.name == "partition";
}

Result<ServerSettings> settings_of(const ServerArguments& arguments) {
  ServerSettings settings;
  if (!arguments.file.empty()) {
    auto read = network::read_server_settings(arguments.file);
    if (!read) return read.error();
    settings = *std::move(read);
  }
  if (const auto done = arguments.flags.apply_to(settings); !done) return done.error();
  if (!arguments.plan_file.empty()) settings.plan = arguments.plan_file;
  if (const auto fine = check(settings); !fine) return fine.error();
  return settings;
}

Result<io::Plan> plan_of(const ServerArguments& arguments, const ServerSettings& settings) {
  io::Plan plan;
  if (!settings.plan.empty()) {
    if (const auto read = io::read_plan(settings.plan, plan); !read) return read.error();
  }
  if (const auto done = arguments.plan_flags.apply_to(plan); !done) return done.error();
  plan.data.clear();
  plan.matrix.clear();
  plan.rhs.clear();
  plan.clients = 0;
  plan.partition = io::Plan{}.partition;
  if (const auto fine = io::check_method(plan); !fine) return fine.error();
  return plan;
}

int start(const ServerArguments& arguments) {
  const auto settings = settings_of(arguments);
  if (!settings) return complain(settings.error().message, kBadInput);
  const auto plan = plan_of(arguments, *settings);
  if (!plan) return complain(plan.error().message, kBadInput);
  return serve(*settings, *plan, arguments.serve);
}

}  // namespace

int resume_server(const ResumeArguments& arguments) {
  const fs::path folder = arguments.folder;
  ServerArguments server{(folder / "server.toml").string(), (folder / "plan.toml").string(), {}, {}, {}};
  auto settings = settings_of(server);
  if (!settings) return complain(settings.error().message, kBadInput);
  settings->out = arguments.folder;
  const auto plan = plan_of(server, *settings);
  if (!plan) return complain(plan.error().message, kBadInput);
  return serve(*settings, *plan, {arguments.format, arguments.progress});
}

void add_server(CLI::App& program, int& exit_code) {
  auto* command = program.add_subcommand("server", "coordinate a run over the network");
  const auto arguments = std::make_shared<ServerArguments>();
  format_help(*command);
  command->add_option("settings", arguments->file, "server.toml, as fedrk provision makes it; a flag wins over it")
      ->type_name("FILE");
  command->add_option("plan-file", arguments->plan_file, "plan of the run, in place of the one that the settings name")
      ->type_name("PLAN");
  arguments->flags.add_to(*command, network::server_options());
  arguments->plan_flags.add_to(*command, io::plan_options(),
                               [](const io::PlanOption& option) { return !is_about_files(option); });
  add_format_flag(*command, arguments->serve.format);
  add_progress_flag(*command, arguments->serve.progress);
  command->footer(
      "Started again with the same settings after a crash, it goes on where it was; so does fedrk resume.\n"
      "SIGTERM ends it within seconds, and clients wait for it to come back; fedrk stop ends the run for them too.\n\n"
      "Example:\n  fedrk server federation/server/server.toml\n\n"
      "Exit codes: 0 done; 1 the run failed; 2 bad usage or input; 3 stopped early, or before the tolerance.");
  command->callback([arguments, &exit_code] { exit_code = start(*arguments); });
}

}  // namespace fedrk::app

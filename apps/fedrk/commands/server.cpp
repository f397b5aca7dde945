// SPDX-License-Identifier: Apache-2.0

// fedrk server: coordinates a run over the network.

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string_view>

#include <fmt/format.h>

#include "commands.hpp"
#include "fedrk/io/plan_options.hpp"
#include "fedrk/network/settings.hpp"
#include "flags.hpp"
#include "output.hpp"
#include "server_run.hpp"

namespace fedrk::app {
namespace {

namespace fs = std::filesystem;
using network::ServerSettings;

struct ServerArguments {
  std::string file, plan_file;
  OptionFlags<ServerSettings> flags;
  ServeOptions serve;
};

constexpr std::string_view kCommon[] = {"listen",      "clients", "plan", "out",     "metrics",    "insecure",
                                        "certificate", "key",     "ca",   "min-sum", "join-limit", "reply-limit"};

Result<ServerSettings> settings_of(const ServerArguments& arguments) {
  auto settings = arguments.flags.settings(arguments.file, network::read_server_settings);
  if (!settings) return settings;
  if (!arguments.plan_file.empty()) settings->plan = arguments.plan_file;
  if (const auto fine = check(*settings); !fine) return fine.error();
  return settings;
}

// The rows are with the clients, and so is how they are split.
Result<io::Plan> plan_of(const ServerSettings& settings) {
  io::Plan plan;
  if (!settings.plan.empty()) {
    if (const auto read = io::read_plan(settings.plan, plan); !read) return read.error();
  }
  plan.data.clear();
  plan.matrix.clear();
  plan.rhs.clear();
  plan.clients = 0;
  plan.partition = io::Plan{}.partition;
  if (const auto fine = io::check_method(plan); !fine) return fine.error();
  return plan;
}

int start(const ServerArguments& arguments, const std::string& out = "") {
  auto settings = settings_of(arguments);
  if (!settings) return complain(settings.error().message, kBadInput);
  if (!out.empty()) settings->out = out;
  const auto plan = plan_of(*settings);
  if (!plan) return complain(plan.error().message, kBadInput);
  return serve(*settings, *plan, arguments.serve);
}

}  // namespace

int resume_server(const ResumeArguments& arguments) {
  const fs::path folder = arguments.folder;
  return start(
      {(folder / "server.toml").string(), (folder / "plan.toml").string(), {}, {arguments.format, arguments.progress}},
      arguments.folder);
}

Command server_command() {
  const auto arguments = std::make_shared<ServerArguments>();
  Command command{
      .name = "server",
      .about = "coordinate a run over the network",
      .arguments = {{"settings", "FILE", "server.toml, as written by fedrk provision; options override it",
                     text(arguments->file)},
                    {"plan-file", "PLAN", "plan of the run; overrides the plan that the settings name",
                     text(arguments->plan_file)}},
      .flags = arguments->flags.flags(network::server_options()),
      .footer =
          "The plan file holds what the run computes: method, rounds, tolerance, seed.\n"
          "A server that is started again with the same settings continues its run; so does fedrk resume. SIGTERM "
          "stops\nthe server, and clients wait for its return; fedrk stop ends the run for the clients as "
          "well.\n\n"
          "Example:\n  fedrk server federation/server/server.toml\n\n"
          "Exit codes: 0 done; 1 the run failed; 2 bad usage or input; 3 stopped early, or before the tolerance.",
      .run = [arguments] { return start(*arguments); }};
  for (Flag& flag : command.flags) flag.common = std::ranges::find(kCommon, flag.name) != std::end(kCommon);
  // What the run computes is written in its plan, which clients are shown and a resumed run keeps.
  refuse_options(io::plan_options(), "an entry of the plan: write it into the plan file", command.refused);
  for (const auto& [name, reason] : network::removed_server_options()) {
    command.refused.push_back({std::string(name), std::string(reason)});
  }
  append(command.flags, {format_flag(arguments->serve.format), progress_flag(arguments->serve.progress)});
  return command;
}

}  // namespace fedrk::app

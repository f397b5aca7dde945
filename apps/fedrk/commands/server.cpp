// SPDX-License-Identifier: Apache-2.0

// fedrk server: coordinates a run over the network.

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/mapped_file.hpp"
#include "before_joining.hpp"
#include "commands.hpp"
#include "flags.hpp"
#include "output.hpp"
#include "pki/revocation_list.hpp"
#include "pki/tls_probe.hpp"
#include "plan/plan_options.hpp"
#include "plan/settings.hpp"
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
  if (!arguments.plan_file.empty() && arguments.flags.given("plan")) {
    return Error{"PLAN and --plan both name the plan: give one"};
  }
  if (!arguments.plan_file.empty()) settings->plan = arguments.plan_file;
  if (const auto fine = check(*settings); !fine) return fine.error();
  for (const auto& [name, address] : {std::pair("listen", settings->listen), {"metrics", settings->metrics}}) {
    const auto place = security::parse_host_and_port(address, 0);
    if (!address.empty() && !place) return Error{fmt::format("--{}: {}", name, place.error().message)};
  }
  return settings;
}

network::Milliseconds milliseconds(double seconds) {
  return network::Milliseconds(static_cast<std::int64_t>(seconds * 1e3));
}

// Those with whom the run began, in the order of the list; who was taken off it since must not go on in silence.
Result<std::vector<std::string>> clients_of(const ServerSettings& settings, const std::string& stored) {
  if (stored.empty()) return settings.clients;
  std::vector<std::string> members = network::stored_clients(stored);
  auto from = settings.clients.begin();
  for (const std::string& member : members) {
    from = std::find(from, settings.clients.end(), member);
    if (from == settings.clients.end()) {
      return Error{
          fmt::format("the run began with '{}', which the list of clients does not have, or not in that place; "
                      "put it back, or begin a new run with another --out",
                      member)};
    }
  }
  return members;
}

int start(const ServerArguments& arguments, const std::string& out = "") {
  auto settings = settings_of(arguments);
  if (!settings) return complain(settings.error().message, kBadInput);
  if (!out.empty()) settings->out = out;
  const auto read = network::read_server_plan(*settings);
  if (!read) return complain(read.error().message, kBadInput);
  if (!read->left_out.empty()) say(fmt::format("fedrk: warning: {}: {}\n", settings->plan, read->left_out));
  return serve(*settings, read->plan, arguments.serve);
}

}  // namespace

Result<network::ServerOptions> server_options(const ServerSettings& settings, const io::Plan& plan,
                                              const std::string& run, const std::string& stored, operation::Log& log) {
  network::ServerOptions options;
  options.listen = settings.listen;
  auto& federation = options.federation;
  federation.run = run;
  federation.plan = plan;
  auto clients = clients_of(settings, stored);
  if (!clients) return clients.error();
  federation.clients = *std::move(clients);
  federation.masked = is_masked(settings, plan);
  federation.min_sum = settings.min_sum;
  federation.quorum = settings.quorum;
  federation.join_limit = milliseconds(settings.join_limit);
  federation.reply_limit = milliseconds(settings.reply_limit);
  federation.away_limit = milliseconds(settings.away_limit);
  federation.heartbeat = milliseconds(settings.heartbeat);
  federation.largest_message = settings.largest_message;
  if (settings.insecure) return options;
  options.tls = settings.tls;
  if (const auto fine = look_at_own_files(settings.tls, security::Role::Server, "", log); !fine) return fine.error();
  if (settings.crl.empty()) return options;
  const auto ca = io::MappedFile::open(settings.tls.ca);
  if (!ca) return ca.error();
  auto list = security::RevocationList::open(settings.crl, std::string(ca->text()));
  if (!list) return list.error();
  const auto shared = std::make_shared<security::RevocationList>(*std::move(list));
  federation.veto = [shared](const std::string& certificate) { return shared->veto(certificate); };
  return options;
}

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

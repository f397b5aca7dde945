// SPDX-License-Identifier: Apache-2.0

// fedrk provision: certificates and start-up folders for a federation, one to hand over to each participant.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "federation_folder.hpp"
#include "flags.hpp"
#include "output.hpp"
#include "pki/authority.hpp"
#include "pki/private_file.hpp"
#include "plan/plan.hpp"

namespace fedrk::app {
namespace {

using Json = nlohmann::ordered_json;

struct ProvisionArguments {
  std::string folder, names_file, plan;
  std::vector<std::string> names, hosts, add, renew, revoke;
  std::optional<std::uint16_t> port;
  std::optional<int> days;
  std::optional<std::string> draws;
  OutputFormat format = OutputFormat::Text;

  bool changes() const { return !add.empty() || !renew.empty() || !revoke.empty(); }
};

// One name a line; # starts a comment.
Result<void> read_names(const std::string& path, std::vector<std::string>& names) {
  const auto text = security::read_text_file(path);
  if (!text) return text.error();
  std::string_view rest = *text;
  while (!rest.empty()) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    line = line.substr(0, line.find('#'));
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) continue;
    names.emplace_back(line.substr(first, line.find_last_not_of(" \t\r") - first + 1));
  }
  return {};
}

Result<void> check_names(const std::vector<std::string>& names) {
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (const auto fine = check_name(name); !fine) return fine;
    if (!seen.insert(name).second)
      return Error{fmt::format("'{}' is named twice; each client needs its own name", name)};
  }
  return {};
}

Result<void> check_hosts(const std::vector<std::string>& hosts) {
  for (const std::string& host : hosts) {
    if (!security::is_host(host)) {
      return Error{fmt::format("--host {}: expected a host name or an IP address, without a port", host)};
    }
  }
  return {};
}

Result<Provisioned> make(ProvisionArguments arguments) {
  if (!arguments.names_file.empty()) {
    if (const auto read = read_names(arguments.names_file, arguments.names); !read) return read.error();
  }
  if (arguments.names.empty()) return Error{"no clients: give --name NAME for each, or --names FILE"};
  if (arguments.hosts.empty()) return Error{"no host: give --host HOST, the name under which clients reach the server"};
  if (const auto fine = check_names(arguments.names); !fine) return fine.error();
  NewFederation wanted;
  FederationFacts& facts = wanted.issued.facts;
  facts = {arguments.hosts, arguments.port.value_or(facts.port), arguments.draws.value_or(facts.draws)};
  wanted.issued.days = arguments.days.value_or(wanted.issued.days);
  wanted.clients = arguments.names;
  if (!arguments.plan.empty()) {
    io::Plan plan;
    if (const auto fine = io::read_plan(arguments.plan, plan); !fine) return fine.error();
    auto text = security::read_text_file(arguments.plan);
    if (!text) return text.error();
    wanted.plan = *std::move(text);
  }
  return make_federation_folder(arguments.folder, wanted);
}

// Revocation comes first: --revoke with --renew of one name replaces a certificate whose key is lost.
Result<Provisioned> change(const ProvisionArguments& arguments) {
  if (!arguments.names.empty() || !arguments.names_file.empty() || !arguments.plan.empty()) {
    return Error{"--name, --names and --plan are for a new federation; use --add to take a client in"};
  }
  if (const auto fine = check_names(arguments.add); !fine) return fine.error();
  auto folder = FederationFolder::open(arguments.folder);
  if (!folder) return folder.error();
  folder->move_server(arguments.hosts, arguments.port);
  if (arguments.days) folder->set_days(*arguments.days);
  if (arguments.draws) folder->set_draws(*arguments.draws);
  Provisioned done;
  for (const std::string& name : arguments.revoke) {
    if (const auto result = folder->revoke(name, done); !result) return result.error();
  }
  for (const std::string& name : arguments.renew) {
    if (const auto result = folder->renew(name, done); !result) return result.error();
  }
  for (const std::string& name : arguments.add) {
    if (const auto result = folder->add(name, done); !result) return result.error();
  }
  return done;
}

std::string as_json(const ProvisionArguments& arguments, const Provisioned& done) {
  Json json{{"folder", arguments.folder}, {"steps", Json::array()}, {"notes", done.notes}};
  for (const ProvisionStep& step : done.steps) {
    json["steps"].push_back({{"action", step.action},
                             {"name", step.certificate.name},
                             {"serial", step.certificate.serial},
                             {"from", security::iso_text(step.certificate.from)},
                             {"until", security::iso_text(step.certificate.until)},
                             {"folder", step.folder}});
  }
  return json.dump(2) + "\n";
}

std::string as_text(const ProvisionArguments& arguments, const Provisioned& done) {
  std::string text;
  for (const ProvisionStep& step : done.steps) {
    const std::string until = security::moment_text(step.certificate.until);
    text += step.action == "revoked"
                ? fmt::format("revoked  {}, certificate {}\n", step.certificate.name, step.certificate.serial)
                : fmt::format("{:<8} {}, valid until {}\n", step.action, step.folder, until);
  }
  if (!arguments.changes()) {
    text += fmt::format(
        "made     {0}/ca, which stays with you: whoever has its ca.key can let anyone in\n"
        "Hand each folder over to its participant, and over a safe way: it holds a private key.\n"
        "Each has a README. Later: fedrk provision {0} --add NAME, --renew NAME, --revoke NAME\n",
        arguments.folder);
  }
  for (const std::string& note : done.notes) text += fmt::format("note: {}\n", note);
  return text;
}

int run_provision(const ProvisionArguments& arguments) {
  if (const auto fine = check_hosts(arguments.hosts); !fine) return complain(fine.error().message, kBadInput);
  const auto done = arguments.changes() ? change(arguments) : make(arguments);
  if (!done) return complain(done.error().message, kBadInput);
  const bool json = arguments.format == OutputFormat::Json;
  return print_result(json ? as_json(arguments, *done) : as_text(arguments, *done)) ? kDone : kRunFailed;
}

}  // namespace

Command provision_command() {
  const auto arguments = std::make_shared<ProvisionArguments>();
  const auto port = [arguments](const io::OptionValues& values) {
    return io::set_whole<std::uint16_t>(values, arguments->port.emplace(), 1);
  };
  const auto days = [arguments](const io::OptionValues& values) {
    double given = 0.0;
    const auto done = io::set_number(
        values, "a whole number from 1 to 3650", [](double n) { return n >= 1.0 && n <= 3650.0 && n == std::floor(n); },
        given);
    if (done) arguments->days = static_cast<int>(given);
    return done;
  };
  const auto change = [](const char* name, std::vector<std::string>& names, const char* help) {
    return Flag{.name = name, .value = "NAME", .help = help, .set = texts(names), .group = "Changes"};
  };
  return {.name = "provision",
          .about = "make certificates and start-up folders for a federation",
          .arguments = {{.name = "folder",
                         .value = "DIR",
                         .help = "folder of the federation",
                         .set = text(arguments->folder),
                         .required = true}},
          .flags = {{"name", "NAME", "name of a client (may be repeated)", texts(arguments->names)},
                    {"names", "FILE", "file of client names, one per line", text(arguments->names_file)},
                    {"host", "HOST", "name or address under which clients reach the server (may be repeated)",
                     texts(arguments->hosts)},
                    {"port", "PORT", "port of the server", port, "7443"},
                    {"days", "N", "validity of certificates, in days", days, "365"},
                    {"plan", "FILE", "plan of the run, copied to the server's folder", text(arguments->plan)},
                    {"draws", "secret|plan", "where clients' draws come from: a secret of theirs, or the plan's seed",
                     choice<std::optional<std::string>>(arguments->draws, {{"secret", "secret"}, {"plan", "plan"}}),
                     "secret"},
                    change("add", arguments->add, "add a client"),
                    change("renew", arguments->renew, "issue a new key and certificate to a client or the server"),
                    change("revoke", arguments->revoke, "revoke the certificate of a client"),
                    format_flag(arguments->format)},
          .footer =
              "Examples:\n"
              "  fedrk provision federation --name site-1 --name site-2 --host server.example.org\n"
              "  fedrk provision federation --renew site-2\n"
              "  fedrk provision federation --revoke site-2 --renew site-2    (its key was lost)",
          .run = [arguments] { return run_provision(*arguments); }};
}

}  // namespace fedrk::app

// SPDX-License-Identifier: Apache-2.0

// fedrk client: takes part in a federation with the rows of this machine.

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "base/mapped_file.hpp"
#include "base/number.hpp"
#include "base/write_file.hpp"
#include "before_joining.hpp"
#include "checkpoint/client_store.hpp"
#include "commands.hpp"
#include "data/csv.hpp"
#include "flags.hpp"
#include "output.hpp"
#include "pki/own_credentials.hpp"
#include "pki/tls_probe.hpp"
#include "plan/federation.hpp"
#include "plan/settings.hpp"
#include "signals.hpp"
#include "transport/protocol/client_run.hpp"
#include "transport/protocol/file_owner.hpp"

namespace fedrk::app {
namespace {

namespace fs = std::filesystem;
using network::ClientOutcome;
using network::ClientSettings;
using network::Milliseconds;

constexpr const char* kCompleted = "finished:completed";

struct ClientArguments {
  std::string file;
  OptionFlags<ClientSettings> flags;
};

Result<security::Finding> probe(const ClientSettings& settings, const security::HostAndPort& address) {
  const Milliseconds patience(static_cast<std::int64_t>(std::clamp(settings.wait, 0.2, 3.0) * 1e3));
  if (settings.insecure) return security::plain_probe(address.host, address.port, patience);
  const auto credentials = security::read_credentials(credential_files(settings.tls));
  if (!credentials) return credentials.error();
  return security::tls_probe(address.host, address.port, *credentials, patience);
}

// The connection itself says little more than that it did not come about; a look at each step says why.
network::Diagnosis diagnose(const ClientSettings& settings) {
  const auto address = security::parse_host_and_port(settings.server);
  if (!address) return {address.error().message, true};
  const auto finding = probe(settings, *address);
  if (!finding) return {finding.error().message, true};
  if (finding->ok) return {};
  return {finding->message + (finding->advice.empty() ? "" : "; " + finding->advice), finding->lasting};
}

network::ClientRunOptions run_options(const ClientSettings& settings) {
  network::ClientRunOptions options;
  options.server = settings.server;
  options.name = settings.name;
  options.software = "fedrk " FEDRK_VERSION;
  if (!settings.insecure) options.tls = settings.tls;
  options.consent = {.known_draws = settings.known_draws,
                     .reveal_updates = settings.reveal_updates,
                     .expose_rows = settings.expose_rows,
                     .max_vector = settings.max_vector / sizeof(double),
                     .whole_run = settings.min_sum == 0,
                     .rules = settings.rules()};
  options.wait_limit = Milliseconds(static_cast<std::int64_t>(settings.wait * 1e3));
  options.largest_message = settings.largest_message;
  options.diagnose = [settings] { return diagnose(settings); };
  return options;
}

Result<void> write_solution(const fs::path& folder, const ClientOutcome& outcome) {
  std::string text = "name,coefficient\n";
  const bool named = outcome.names.size() == outcome.coefficients.size();  // too many names are not sent
  const auto names = named ? outcome.names : io::numbered_columns(outcome.coefficients.size());
  for (std::size_t j = 0; j < outcome.coefficients.size(); ++j) {
    text += io::csv_field(names[j]) + ',';
    io::append_text(outcome.coefficients[j], text);
    text += '\n';
  }
  return io::write_file(folder / "solution.csv", text);
}

int report(const ClientSettings& settings, const ClientOutcome& outcome) {
  switch (outcome.kind) {
    case ClientOutcome::Kind::Refused:
      return complain(outcome.message, kBadInput);
    case ClientOutcome::Kind::GaveUp:
      return complain(outcome.message, kRunFailed);
    case ClientOutcome::Kind::Stopped:
      return complain(outcome.message, kStoppedEarly);
    case ClientOutcome::Kind::Ended:
      break;
  }
  if (!outcome.coefficients.empty()) {
    if (const auto written = write_solution(settings.state, outcome); !written) {
      return complain(written.error().message, kRunFailed);
    }
  }
  say(fmt::format("fedrk: the run ended: {} ({})\n", outcome.message, outcome.status));
  if (!outcome.coefficients.empty()) {
    say(fmt::format("Solution: {}\n", (fs::path(settings.state) / "solution.csv").string()));
  }
  if (outcome.status == kCompleted) return kDone;
  const bool early = outcome.status == "finished:stopped" || outcome.status == "finished:unconverged";
  return early ? kStoppedEarly : kRunFailed;
}

// Whoever waits for a server would learn of it only when that is there.
Result<void> look_at_data(const network::OwnFiles& files) {
  for (const std::string& file : {files.data, files.matrix, files.rhs}) {
    if (file.empty()) continue;
    if (const auto there = io::MappedFile::open(file); !there) return there.error();
  }
  return {};
}

int client(const ClientArguments& arguments) {
  const auto settings = arguments.flags.settings(arguments.file, network::read_client_settings);
  if (!settings) return complain(settings.error().message, kBadInput);
  if (const auto fine = check(*settings); !fine) return complain(fine.error().message, kBadInput);
  if (const auto address = security::parse_host_and_port(settings->server); !address) {
    return complain("--server: " + address.error().message, kBadInput);
  }
  if (const auto there = look_at_data(settings->files); !there) return complain(there.error().message, kBadInput);
  const auto log = operation::make_log(settings->log.format, settings->log.level, stderr);
  if (!settings->insecure) {
    const auto fine = look_at_own_files(settings->tls, security::Role::Client, settings->name, *log);
    if (!fine) return complain(fine.error().message, kBadInput);
  }
  auto store = store::ClientStore::open(settings->state);
  if (!store) return complain(store.error().message, kBadInput);
  std::optional<std::uint64_t> secret;
  if (!settings->known_draws) {
    const auto drawn = store->secret_seed();
    if (!drawn) return complain(drawn.error().message, kBadInput);
    secret = *drawn;
  }
  if (settings->insecure)
    log->warning("insecure", {{"note", "no TLS: anybody on the way can read and change messages"}});
  if (settings->known_draws) {
    log->warning("draws.known", {{"note", "random draws derive from the plan's seed: the server could repeat them"}});
  }
  const auto guard = store::open_replay_guard(settings->state);
  if (!guard) return complain(guard.error().message, kBadInput);
  network::FileOwner owner(settings->name, settings->files, secret, *log);
  network::ClientRunOptions options = run_options(*settings);
  options.guard = guard->get();
  options.ledger = &store->disclosures();
  std::optional<store::ClientStore> ledger;  // what all clients of this owner spend
  if (!settings->ledger.empty()) {
    auto opened = store::ClientStore::open(settings->ledger);
    if (!opened) return complain(opened.error().message, kBadInput);
    ledger = *std::move(opened);
  }
  options.consent.budget = {settings->privacy_epsilon, settings->privacy_delta, ledger ? &*ledger : &*store};
  network::ClientRun run(std::move(options), owner, *log);
  const SignalWatch signals([&](int) { run.stop(); });
  const ClientOutcome outcome = run.run();
  // A run that was stopped or lost its clients may be resumed: what it needs of this client stays.
  if (outcome.status == kCompleted) {
    if (const auto done = (*guard)->forget(owner.run()); !done) log->warning("store", {{"note", done.error().message}});
  }
  return report(*settings, outcome);
}

}  // namespace

Command client_command() {
  const auto arguments = std::make_shared<ClientArguments>();
  return {.name = "client",
          .about = "take part in a federation with the data of this machine",
          .arguments = {{"settings", "FILE", "client.toml, as written by fedrk provision; options override it",
                         text(arguments->file)}},
          .flags = arguments->flags.flags(network::client_options()),
          .footer =
              "Waits for the server, comes back after every break, and ends with the run. Nothing listens on this "
              "machine.\n\n"
              "Example:\n  fedrk client site-1/client.toml\n\n"
              "Exit codes: 0 the run was completed; 1 it failed, or the server was out of reach for too long; 2 "
              "bad usage or\ninput, or the server does not want this client; 3 stopped early.",
          .run = [arguments] { return client(*arguments); }};
}

}  // namespace fedrk::app

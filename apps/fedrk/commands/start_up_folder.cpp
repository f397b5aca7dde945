// SPDX-License-Identifier: Apache-2.0
#include "start_up_folder.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <system_error>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "base/write_file.hpp"
#include "pki/private_file.hpp"

namespace fedrk::app {

namespace fs = std::filesystem;
using security::Identity;

namespace {

// Names and hosts hold nothing that TOML would take for something else: they were checked.
std::string quoted(const std::string& text) { return '"' + text + '"'; }

std::string list_of(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + quoted(name);
  return "[" + text + "]";
}

std::optional<std::vector<std::string>> clients_in(const std::string& text) try {
  const toml::table table = toml::parse(text);
  const toml::array* entries = table["clients"].as_array();
  if (entries == nullptr) return std::nullopt;
  std::vector<std::string> names;
  for (const toml::node& entry : *entries) names.push_back(entry.value_or(std::string()));
  return names;
} catch (const toml::parse_error&) {
  return std::nullopt;
}

// Where the list of clients ends in the text, just before its bracket.
std::optional<std::size_t> end_of_clients(const std::string& text) {
  const toml::table table = toml::parse(text);
  const auto end = table["clients"].as_array()->source().end;
  std::size_t at = 0;
  for (unsigned line = 1; line < end.line; ++line) {
    at = text.find('\n', at);
    if (at == std::string::npos) return std::nullopt;
    ++at;
  }
  at += end.column - 1;
  if (at == 0 || at > text.size() || text[at - 1] != ']') return std::nullopt;
  return at - 1;
}

}  // namespace

std::string server_address(const FederationFacts& facts) {
  const std::string& host = facts.hosts.front();
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, facts.port)
                                             : fmt::format("[{}]:{}", host, facts.port);
}

namespace {

std::string client_toml(const FederationFacts& facts, const std::string& name) {
  return fmt::format(
      "# Settings of a fedrk client; paths are relative to this file. Flags of the same names win.\n"
      "server = \"{}\"\n"
      "name = \"{}\"\n"
      "certificate = \"client.crt\"\n"
      "key = \"client.key\"\n"
      "ca = \"ca.crt\"\n\n"
      "data = \"data.csv\"  # your table, with the target column; or in its place:\n"
      "# matrix = \"A.npy\"\n"
      "# rhs = \"b.npy\"\n\n"
      "state = \"state\"    # folder for what has to survive a restart\n"
      "draws = \"{}\"   # \"secret\": of your own; \"plan\": from the plan's seed, as fedrk solve makes them\n"
      "reveal = \"{}\"   # \"sums\": masked, over three clients or more; \"updates\": the server may see yours alone\n",
      server_address(facts), name, facts.draws, facts.draws == "plan" ? "updates" : "sums");
}

std::string server_toml(const FederationFacts& facts, const std::vector<std::string>& clients) {
  return fmt::format(
      "# Settings of a fedrk server; paths are relative to this file. Flags of the same names win.\n"
      "listen = \"0.0.0.0:{}\"\n"
      "certificate = \"server.crt\"\n"
      "key = \"server.key\"\n"
      "ca = \"ca.crt\"\n"
      "crl = \"crl.pem\"  # who is no longer let in; looked at again when it changes\n\n"
      "clients = {}\n\n"
      "plan = \"plan.toml\"\n"
      "out = \"runs/federation\"\n{}",
      facts.port, list_of(clients),
      facts.draws == "plan" ? "unmasked = true  # for tests, as the clients' draws are known\n" : "");
}

std::string sample_plan() {
  return "# What the federation computes: entries as for fedrk solve (see fedrk solve --help), save the data files,\n"
         "# which each client names in its own settings. Take the # away from what you want to say.\n\n"
         "# target = \"y\"          # the column to explain, where the clients have tables\n"
         "# ignore = [\"id\"]       # columns to leave out\n"
         "# standardize = true\n"
         "# intercept = true\n\n"
         "# participants = 3      # clients asked in a round; all of them where it is not said\n"
         "# local-steps = 100\n"
         "# rounds = 1000\n"
         "# tolerance = 1e-8\n"
         "# seed = 1\n";
}

std::string client_readme(const FederationFacts& facts, const std::string& name) {
  return fmt::format(
      "This folder makes a machine the client '{}' of the federation at {}. client.key is a secret: keep it there.\n"
      "Put your table here as data.csv, or write the name of your file into client.toml. Your rows stay on this "
      "machine.\n"
      "Check with \"fedrk check client.toml\", then take part with \"fedrk client client.toml\".\n",
      name, server_address(facts));
}

std::string server_readme(const FederationFacts& facts) {
  return fmt::format(
      "This folder makes a machine the server of the federation, reached at {}. server.key is a secret: keep it "
      "there.\n"
      "Write into plan.toml what to compute; server.toml has the address, the clients and where results go.\n"
      "Check with \"fedrk check server.toml\", then start with \"fedrk server server.toml\".\n",
      server_address(facts));
}

}  // namespace

std::string authority_readme() {
  return "This folder stays with the operator: whoever has ca.key can let anyone into the federation.\n"
         "issued.json lists the certificates; crl.pem, with a copy beside the server, those that are revoked.\n"
         "Change it with \"fedrk provision DIR --add NAME\", \"--renew NAME\" or \"--revoke NAME\" only.\n";
}

std::string with_client(const std::string& text, const std::string& name) {
  auto expected = clients_in(text);
  if (!expected) return {};
  if (std::ranges::find(*expected, name) != expected->end()) return text;
  const auto end = end_of_clients(text);
  if (!end) return {};
  const bool first = expected->empty();
  expected->push_back(name);
  for (const char* before : {first ? "" : ", ", " "}) {  // the second where the list ends in a comma
    std::string changed = text;
    changed.insert(*end, before + quoted(name));
    if (clients_in(changed) == expected) return changed;
  }
  return {};
}

// ---- Folders.

Result<void> write_files(const fs::path& folder, const std::vector<StartUpFile>& files) {
  for (const StartUpFile& file : files) {
    const auto written = file.is_secret ? security::write_private_file(folder / file.name, file.content)
                                        : io::write_file(folder / file.name, file.content);
    if (!written) return written;
  }
  return {};
}

Result<void> rename_folder(const fs::path& from, const fs::path& to) {
  std::error_code failure;
  fs::rename(from, to, failure);
  if (!failure) return {};
  return Error{fmt::format("cannot make {}: {}", to.string(), failure.message())};
}

Result<void> make_start_up_folder(const fs::path& folder, const std::vector<StartUpFile>& files) {
  const fs::path unfinished = folder.parent_path() / fmt::format(".{}.unfinished", folder.filename().string());
  std::error_code ignored;
  fs::remove_all(unfinished, ignored);  // of a run that was killed
  auto done = security::make_private_folder(unfinished);
  if (done) done = write_files(unfinished, files);
  if (done) done = rename_folder(unfinished, folder);
  if (!done) fs::remove_all(unfinished, ignored);
  return done;
}

std::vector<StartUpFile> client_files(const Identity& identity, const std::string& ca, const FederationFacts& facts,
                                      const std::string& name) {
  return {{"client.key", identity.key, true},
          {"client.crt", identity.certificate},
          {"ca.crt", ca},
          {"client.toml", client_toml(facts, name)},
          {"README", client_readme(facts, name)}};
}

std::vector<StartUpFile> server_files(const Identity& identity, const std::string& ca, const std::string& crl,
                                      const FederationFacts& facts, const std::vector<std::string>& clients,
                                      const std::string& plan) {
  return {{"server.key", identity.key, true},
          {"server.crt", identity.certificate},
          {"ca.crt", ca},
          {"crl.pem", crl},
          {"server.toml", server_toml(facts, clients)},
          {"plan.toml", plan.empty() ? sample_plan() : plan},
          {"README", server_readme(facts)}};
}

}  // namespace fedrk::app

// SPDX-License-Identifier: Apache-2.0
#include "federation_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/write_file.hpp"
#include "pki/private_file.hpp"

namespace fedrk::app {

namespace fs = std::filesystem;
using security::Authority;
using security::Identity;
using security::Moment;

namespace {

using Json = nlohmann::ordered_json;

Moment moment_in(const Json& value) {
  const auto moment = security::parse_iso(value.get<std::string>());
  if (!moment) throw std::runtime_error("a date that cannot be read");
  return *moment;
}

Json json_of(const Issued& entry) {
  Json json{{"name", entry.name},
            {"serial", entry.serial},
            {"from", security::iso_text(entry.from)},
            {"until", security::iso_text(entry.until)},
            {"revoked", nullptr}};
  if (entry.revoked) json["revoked"] = security::iso_text(*entry.revoked);
  return json;
}

Issued entry_in(const Json& json) {
  Issued entry{json.at("name"), json.at("serial"), moment_in(json.at("from")), moment_in(json.at("until")), {}};
  if (!json.at("revoked").is_null()) entry.revoked = moment_in(json.at("revoked"));
  return entry;
}

}  // namespace

bool Register::knows(const std::string& name) const {
  return std::ranges::find(certificates, name, &Issued::name) != certificates.end();
}

std::vector<security::Revoked> Register::revoked() const {
  std::vector<security::Revoked> entries;
  for (const Issued& entry : certificates) {
    if (entry.revoked) entries.push_back({entry.serial, *entry.revoked});
  }
  return entries;
}

Result<Issued> entry_of(const std::string& certificate) {
  auto facts = security::read_certificate(certificate);
  if (!facts) return facts.error();
  return Issued{std::move(facts->common_name), std::move(facts->serial), facts->not_before, facts->not_after, {}};
}

Result<Register> read_register(const std::filesystem::path& path) {
  const auto text = security::read_text_file(path);
  if (!text) return text.error();
  try {
    const Json json = Json::parse(*text);
    Register issued;
    issued.facts = {json.at("hosts"), json.at("port"), json.at("draws")};
    issued.days = json.at("days");
    for (const Json& entry : json.at("certificates")) issued.certificates.push_back(entry_in(entry));
    if (issued.facts.hosts.empty()) throw std::runtime_error("no hosts");
    return issued;
  } catch (const std::exception& error) {
    return Error{path.string() + ": not a register of certificates: " + error.what()};
  }
}

Result<void> write_register(const std::filesystem::path& path, const Register& issued) {
  Json json{{"hosts", issued.facts.hosts},
            {"port", issued.facts.port},
            {"draws", issued.facts.draws},
            {"days", issued.days},
            {"certificates", Json::array()}};
  for (const Issued& entry : issued.certificates) json["certificates"].push_back(json_of(entry));
  return io::write_file(path, json.dump(2) + "\n");
}

FederationFolder::FederationFolder(fs::path folder, int lock, Register issued, Authority authority)
    : folder_(std::move(folder)),
      lock_(lock),
      issued_(std::move(issued)),
      authority_(std::move(authority)),
      days_(issued_.days),
      draws_(issued_.facts.draws) {}

FederationFolder::FederationFolder(FederationFolder&& other) noexcept
    : folder_(std::move(other.folder_)),
      lock_(std::exchange(other.lock_, -1)),
      issued_(std::move(other.issued_)),
      authority_(std::move(other.authority_)),
      days_(other.days_),
      draws_(std::move(other.draws_)) {}

FederationFolder::~FederationFolder() {
  if (lock_ >= 0) ::close(lock_);
}

Result<FederationFolder> FederationFolder::open(const fs::path& folder) {
  const fs::path ca = folder / "ca";
  std::error_code ignored;
  if (!fs::exists(ca / "issued.json", ignored)) {
    return Error{fmt::format("{} holds no federation; make one with --name NAME ... --host HOST", folder.string())};
  }
  const int lock = ::open((ca / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock < 0) {
    return Error{fmt::format("cannot write into {}: {}", ca.string(), std::generic_category().message(errno))};
  }
  const auto leave = [&](std::string why) {
    ::close(lock);
    return Error{std::move(why)};
  };
  if (::flock(lock, LOCK_EX | LOCK_NB) != 0) {
    return leave(fmt::format("another fedrk provision is at work in {}; try again when it is done", folder.string()));
  }
  auto issued = read_register(ca / "issued.json");
  if (!issued) return leave(issued.error().message);
  auto certificate = security::read_text_file(ca / "ca.crt"), key = security::read_text_file(ca / "ca.key");
  if (!certificate) return leave(certificate.error().message);
  if (!key) return leave(key.error().message + "; without it nothing can be issued");
  auto authority = Authority::load({*std::move(certificate), *std::move(key)});
  if (!authority) return leave(fmt::format("{}: {}", ca.string(), authority.error().message));
  return FederationFolder(folder, lock, *std::move(issued), *std::move(authority));
}

void FederationFolder::move_server(const std::vector<std::string>& hosts, std::optional<std::uint16_t> port) {
  if (!hosts.empty()) issued_.facts.hosts = hosts;
  if (port) issued_.facts.port = *port;
}

FederationFacts FederationFolder::facts() const { return {issued_.facts.hosts, issued_.facts.port, draws_}; }

// Written into the register before anybody can get hold of it: what is not there cannot be revoked.
Result<Identity> FederationFolder::issue(const std::string& name) {
  auto identity = app::issue(authority_, issued_.facts.hosts, days_, name);
  if (!identity) return identity;
  auto entry = entry_of(identity->certificate);
  if (!entry) return entry.error();
  issued_.certificates.push_back(*std::move(entry));
  if (const auto kept = write_register(folder_ / "ca" / "issued.json", issued_); !kept) return kept.error();
  return identity;
}

void FederationFolder::join_server(const std::string& name, Provisioned& done) const {
  const fs::path settings = folder_ / "server" / "server.toml";
  const auto text = security::read_text_file(settings);
  const std::string changed = text ? with_client(*text, name) : "";
  if (text && changed == *text) return;
  const bool written = !changed.empty() && io::write_file(settings, changed);
  done.notes.push_back(
      written ? fmt::format("{} now lists '{}': bring it to the server, which reads it at its next start",
                            settings.string(), name)
              : fmt::format("add \"{}\" to the clients in the server's server.toml and start the server again", name));
}

Result<void> FederationFolder::add(const std::string& name, Provisioned& done) {
  const fs::path folder = folder_ / name;
  if (issued_.knows(name)) {
    return Error{fmt::format("'{}' is in the federation already; --renew {} makes a new certificate", name, name)};
  }
  std::error_code ignored;
  if (fs::exists(folder, ignored)) return Error{fmt::format("{} exists already", folder.string())};
  const auto identity = issue(name);
  if (!identity) return identity.error();
  const auto made =
      make_start_up_folder(folder, client_files(*identity, authority_.identity().certificate, facts(), name));
  if (!made) return made;
  done.steps.push_back({"added", issued_.certificates.back(), folder.string()});
  join_server(name, done);
  return {};
}

// Where the folder was handed over and is gone, it is made again as a whole.
Result<void> FederationFolder::renew_files(const std::string& name, const Identity& identity) const {
  const fs::path folder = folder_ / name;
  const std::string stem = name == "server" ? "server" : "client";
  std::error_code ignored;
  if (fs::exists(folder, ignored)) {
    return write_files(folder, {{stem + ".key", identity.key, true}, {stem + ".crt", identity.certificate}});
  }
  if (name != "server")
    return make_start_up_folder(folder, client_files(identity, authority_.identity().certificate, facts(), name));
  std::vector<std::string> clients;
  for (const Issued& entry : issued_.certificates) {
    const bool listed = std::ranges::find(clients, entry.name) != clients.end();
    if (entry.name != "server" && !listed) clients.push_back(entry.name);
  }
  const auto crl = authority_.crl(issued_.revoked(), security::now());
  if (!crl) return crl.error();
  return make_start_up_folder(folder,
                              server_files(identity, authority_.identity().certificate, *crl, issued_.facts, clients));
}

Result<void> FederationFolder::renew(const std::string& name, Provisioned& done) {
  if (!issued_.knows(name)) {
    return Error{fmt::format("'{}' is not in the federation; --add {} takes it in", name, name)};
  }
  const auto identity = issue(name);
  if (!identity) return identity.error();
  if (const auto written = renew_files(name, *identity); !written) return written;
  const std::string folder = (folder_ / name).string();
  const bool server = name == "server";
  done.steps.push_back({"renewed", issued_.certificates.back(), folder});
  done.notes.push_back(fmt::format(
      "bring {0}.key and {0}.crt of {1} to the {0}; certificates that '{2}' had before hold until their end{3}",
      server ? "server" : "client", folder, name, server ? "" : ", unless they are revoked"));
  if (!server) join_server(name, done);
  return {};
}

Result<void> FederationFolder::revoke(const std::string& name, Provisioned& done) {
  if (name == "server") {
    return Error{
        "clients do not read the revocation list, so the server's certificate cannot be revoked; if its key is "
        "lost, provision a new federation"};
  }
  if (!issued_.knows(name)) return Error{fmt::format("'{}' is not in the federation", name)};
  const auto now = security::now();
  for (Issued& entry : issued_.certificates) {
    if (entry.name != name) continue;
    if (!entry.revoked) entry.revoked = now;
    done.steps.push_back({"revoked", entry, (folder_ / name).string()});
  }
  if (const auto kept = write_register(folder_ / "ca" / "issued.json", issued_); !kept) return kept;
  const auto crl = authority_.crl(issued_.revoked(), now);
  if (!crl) return crl.error();
  if (const auto written = io::write_file(folder_ / "ca" / "crl.pem", *crl); !written) return written;
  std::error_code ignored;
  const fs::path beside_server = folder_ / "server" / "crl.pem";
  if (fs::exists(folder_ / "server", ignored)) {
    if (const auto written = io::write_file(beside_server, *crl); !written) return written;
  }
  done.notes.push_back(
      fmt::format("a server that runs in {} takes the new list up by itself; elsewhere, copy {} beside its "
                  "server.toml",
                  (folder_ / "server").string(), (folder_ / "ca" / "crl.pem").string()));
  return {};
}

}  // namespace fedrk::app

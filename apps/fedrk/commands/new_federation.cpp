// SPDX-License-Identifier: Apache-2.0
#include "federation_folder.hpp"

#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/write_file.hpp"
#include "pki/private_file.hpp"

namespace fedrk::app {

namespace fs = std::filesystem;
using security::Authority;
using security::Identity;

namespace {

constexpr int kAuthorityDays = 3650;

Result<void> fill(const fs::path& folder, const NewFederation& wanted, Register& issued) {
  const auto now = security::now();
  const auto authority = Authority::make(security::valid_for_days(now, kAuthorityDays));
  if (!authority) return authority.error();
  const std::string& ca = authority->identity().certificate;
  const auto crl = authority->crl({}, now);
  if (!crl) return crl.error();
  std::vector<std::string> names{"server"};
  names.insert(names.end(), wanted.clients.begin(), wanted.clients.end());
  for (const std::string& name : names) {
    const auto identity = issue(*authority, issued.facts.hosts, issued.days, name);
    if (!identity) return identity.error();
    auto entry = entry_of(identity->certificate);
    if (!entry) return entry.error();
    issued.certificates.push_back(*std::move(entry));
    const auto files = name == "server" ? server_files(*identity, ca, *crl, issued.facts, wanted.clients, wanted.plan)
                                        : client_files(*identity, ca, issued.facts, name);
    if (const auto made = make_start_up_folder(folder / name, files); !made) return made;
  }
  if (const auto made = make_start_up_folder(folder / "ca", {{"ca.key", authority->identity().key, true},
                                                             {"ca.crt", ca},
                                                             {"crl.pem", *crl},
                                                             {"README", authority_readme()}});
      !made) {
    return made;
  }
  return write_register(folder / "ca" / "issued.json", issued);
}

// Without a slash at its end, so that it has a name and a parent.
fs::path plain(const fs::path& folder) {
  const fs::path path = fs::absolute(folder).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

}  // namespace

Result<void> check_name(const std::string& name) {
  const auto refuse = [&](const char* why) {
    return Error{fmt::format("'{}' cannot be the name of a client: {}", name, why)};
  };
  if (name.empty() || name.size() > 64) return refuse("1 to 64 characters are expected");
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  };
  if (!std::ranges::all_of(name, fits)) return refuse("letters, digits, '-', '_' and '.' are expected");
  if (name.front() == '.' || name.front() == '-') return refuse("it starts with a letter, a digit or '_'");
  if (name == "server" || name == "ca") return refuse("that folder is taken");
  return {};
}

Result<Identity> issue(const Authority& authority, const std::vector<std::string>& hosts, int days,
                       const std::string& name) {
  const auto validity = security::valid_for_days(security::now(), days);
  return name == "server" ? authority.issue_server(hosts, validity) : authority.issue_client(name, validity);
}

Result<Provisioned> make_federation_folder(const fs::path& given, const NewFederation& wanted) {
  const fs::path folder = plain(given);
  std::error_code ignored;
  if (fs::exists(folder / "ca", ignored)) {
    return Error{
        fmt::format("{} holds a federation already; change it with --add, --renew or --revoke, or choose "
                    "another folder",
                    given.string())};
  }
  if (fs::exists(folder, ignored) && !fs::is_empty(folder, ignored)) {
    return Error{fmt::format("{} is not empty; choose another folder", given.string())};
  }
  if (fs::equivalent(folder, fs::current_path(ignored), ignored)) {  // it would be replaced under the caller's feet
    return Error{"name a folder to be made, rather than the one you are in"};
  }
  if (const auto ready = io::make_writable_folder(folder.parent_path()); !ready) return ready.error();
  const fs::path unfinished =
      folder.parent_path() / fmt::format(".{}.unfinished-{}", folder.filename().string(), ::getpid());
  Register issued = wanted.issued;
  auto done = security::make_private_folder(unfinished);
  if (done) done = fill(unfinished, wanted, issued);
  if (done) done = rename_folder(unfinished, folder);  // fails where somebody else was quicker
  if (!done) {
    fs::remove_all(unfinished, ignored);
    return done.error();
  }
  Provisioned made;
  for (const Issued& entry : issued.certificates) made.steps.push_back({"made", entry, (given / entry.name).string()});
  return made;
}

}  // namespace fedrk::app

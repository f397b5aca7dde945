// SPDX-License-Identifier: Apache-2.0
#include "issued.hpp"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "fedrk/io/write_file.hpp"
#include "fedrk/security/private_file.hpp"

namespace fedrk::app {
namespace {

using Json = nlohmann::ordered_json;
using security::Moment;

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

}  // namespace fedrk::app

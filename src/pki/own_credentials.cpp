// SPDX-License-Identifier: Apache-2.0
#include "pki/own_credentials.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "pki/private_file.hpp"

namespace fedrk::security {
namespace {

using Level = Remark::Level;

constexpr long kFewDays = 14;

std::string ask_for_renewal(const std::string& name) {
  return fmt::format("ask the operator for a renewal (fedrk provision DIR --renew {})", name.empty() ? "NAME" : name);
}

Remark about_dates(const CertificateFacts& facts, Moment now) {
  const std::string name = facts.common_name;
  if (now < facts.not_before) {
    return {"certificate", Level::Bad,
            fmt::format("of '{}' is not valid before {}, and here it is {}", name, moment_text(facts.not_before),
                        moment_text(now)),
            "look at this machine's clock"};
  }
  if (now > facts.not_after) {
    return {"certificate", Level::Bad, fmt::format("of '{}' expired on {}", name, moment_text(facts.not_after)),
            ask_for_renewal(name)};
  }
  const long days = days_between(now, facts.not_after);
  const std::string message = fmt::format("of '{}' is valid until {}, {} day{} from now", name,
                                          moment_text(facts.not_after), days, days == 1 ? "" : "s");
  if (days < kFewDays) return {"certificate", Level::Warning, message, ask_for_renewal(name)};
  return {"certificate", Level::Fine, message, ""};
}

std::string kind_of(const CertificateFacts& facts) {
  if (facts.is_authority) return "the authority's certificate";
  if (facts.for_server && !facts.for_client) return "the server's certificate";
  if (facts.for_client && !facts.for_server) return fmt::format("the certificate of client '{}'", facts.common_name);
  return "a certificate for other uses";
}

std::vector<Remark> about_certificate(const CredentialFiles& files, const CertificateFacts& facts, Role role,
                                      Moment now, const std::string& name) {
  const std::string file = files.certificate.string();
  const bool right_kind = role == Role::Server ? facts.for_server : facts.for_client;
  if (!right_kind) {
    return {
        {"certificate", Level::Bad,
         fmt::format("{} is {}, not {}", file, kind_of(facts), role == Role::Server ? "a server's" : "a client's"),
         fmt::format("use the {} file of this start-up folder", role == Role::Server ? "server.crt" : "client.crt")}};
  }
  std::vector<Remark> remarks{about_dates(facts, now)};
  if (!name.empty() && name != facts.common_name) {
    remarks.push_back({"certificate", Level::Bad,
                       fmt::format("{} is that of '{}', but this is '{}'", file, facts.common_name, name),
                       "take certificate, key and settings from the same start-up folder"});
  }
  return remarks;
}

Remark about_key(const CredentialFiles& files, const Credentials& texts) {
  const std::string file = files.key.string();
  const auto belongs = key_belongs(texts.certificate, texts.key);
  if (!belongs) return {"key", Level::Bad, fmt::format("{}: {}", file, belongs.error().message), "copy it once more"};
  if (!*belongs) {
    return {"key", Level::Bad, fmt::format("{} does not belong to {}", file, files.certificate.string()),
            "take both from the same start-up folder; after a renewal both are new"};
  }
  if (readable_by_others(files.key)) {
    return {"key", Level::Warning, fmt::format("{} can be read by other users of this machine", file),
            fmt::format("chmod 600 {}", file)};
  }
  return {"key", Level::Fine, fmt::format("{} belongs to the certificate", file), ""};
}

Remark about_ca(const CredentialFiles& files, const Credentials& texts, const CertificateFacts& own, Moment now) {
  const std::string file = files.ca.string();
  const auto authority = read_certificate(texts.ca);
  if (!authority)
    return {"ca", Level::Bad, fmt::format("{}: {}", file, authority.error().message), "copy it once more"};
  const auto issued = signed_by(texts.certificate, texts.ca);
  if (!issued || !*issued) {
    return {"ca", Level::Bad,
            fmt::format("{} was issued by '{}', but {} is '{}'", files.certificate.string(), own.issuer, file,
                        authority->common_name),
            "take both from the same federation"};
  }
  if (now > authority->not_after) {
    return {"ca", Level::Bad,
            fmt::format("'{}' expired on {}", authority->common_name, moment_text(authority->not_after)),
            "the federation has to be provisioned anew"};
  }
  return {"ca", Level::Fine, fmt::format("'{}' issued the certificate", authority->common_name), ""};
}

// A file that is not there, before anything is said about what is in it.
std::vector<Remark> unreadable(const CredentialFiles& files, Credentials& texts) {
  std::vector<Remark> remarks;
  const auto read = [&](const char* about, const std::filesystem::path& path, std::string& text) {
    auto content = read_text_file(path);
    if (content) {
      text = *std::move(content);
    } else {
      remarks.push_back({about, Level::Bad, content.error().message,
                         "it came with the start-up folder; ask the operator if it is lost"});
    }
  };
  read("certificate", files.certificate, texts.certificate);
  read("key", files.key, texts.key);
  read("ca", files.ca, texts.ca);
  return remarks;
}

}  // namespace

Result<Credentials> read_credentials(const CredentialFiles& files) {
  Credentials texts;
  const auto missing = unreadable(files, texts);
  if (!missing.empty()) return Error{fmt::format("{}: {}", missing.front().about, missing.front().message)};
  return texts;
}

std::vector<Remark> look_at_own(const CredentialFiles& files, Role role, Moment now, const std::string& name) {
  Credentials texts;
  auto remarks = unreadable(files, texts);
  if (!remarks.empty()) return remarks;
  const auto facts = read_certificate(texts.certificate);
  if (!facts) {
    return {{"certificate", Level::Bad, fmt::format("{}: {}", files.certificate.string(), facts.error().message),
             "copy it once more"}};
  }
  remarks = about_certificate(files, *facts, role, now, name);
  remarks.push_back(about_key(files, texts));
  remarks.push_back(about_ca(files, texts, *facts, now));
  return remarks;
}

Result<void> check_own(const CredentialFiles& files, Role role, Moment now) {
  const auto remarks = look_at_own(files, role, now);
  const auto bad = std::ranges::find(remarks, Level::Bad, &Remark::level);
  if (bad == remarks.end()) return {};
  return Error{fmt::format("{}: {}; {}", bad->about, bad->message, bad->advice)};
}

}  // namespace fedrk::security

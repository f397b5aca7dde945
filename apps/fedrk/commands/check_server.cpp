// SPDX-License-Identifier: Apache-2.0
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <system_error>

#include <fmt/format.h>

#include "check.hpp"
#include "federation_folder.hpp"
#include "methods/exposure.hpp"
#include "pki/private_file.hpp"
#include "pki/tls_probe.hpp"
#include "plan/plan.hpp"

namespace fedrk::app {
namespace {

using Level = CheckLine::Level;

// 0, or why nobody can listen there.
int try_to_listen(const security::HostAndPort& place, std::string& unknown) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_PASSIVE;
  addrinfo* list = nullptr;
  const int failed = ::getaddrinfo(place.host.c_str(), std::to_string(place.port).c_str(), &wanted, &list);
  if (failed != 0) {
    unknown = ::gai_strerror(failed);
    return 0;
  }
  const std::unique_ptr<addrinfo, decltype([](addrinfo* first) { ::freeaddrinfo(first); })> addresses(list);
  const int descriptor = ::socket(list->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return errno;
  const int on = 1;  // as servers do: the end of an earlier one is no obstacle
  ::setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  const int why = ::bind(descriptor, list->ai_addr, list->ai_addrlen) == 0 ? 0 : errno;
  ::close(descriptor);
  return why;
}

// An address that this server is to open, called `about` in its settings.
CheckLine check_address(const std::string& about, const std::string& address) {
  constexpr const char* kOwn = "use an address of this machine, or 0.0.0.0";
  const auto place = security::parse_host_and_port(address, 0);
  if (!place) return {Level::Bad, about, place.error().message, "mend it in the settings"};
  std::string unknown;
  const int why = try_to_listen(*place, unknown);
  if (!unknown.empty()) return {Level::Bad, about, fmt::format("{}: {}", address, unknown), kOwn};
  if (why == 0) return {Level::Fine, about, fmt::format("{} is free", address), ""};
  if (why == EADDRINUSE) {
    return {Level::Warning, about, fmt::format("{} is in use", address),
            "fine if that is this server; else stop the other program or choose another port"};
  }
  return {Level::Bad, about, fmt::format("{}: {}", address, std::generic_category().message(why)),
          why == EACCES ? "choose a port from 1024 on" : kOwn};
}

CheckLine check_metrics(const network::ServerSettings& settings) {
  if (settings.metrics != settings.listen) return check_address("metrics", settings.metrics);
  return {Level::Bad, "metrics", fmt::format("{} is the address of listen too", settings.metrics),
          "choose another port"};
}

CheckLine check_crl(const network::ServerSettings& settings) {
  if (settings.crl.empty()) {
    return {Level::Warning, "crl", "none is named in the settings: nobody can be revoked", "add crl = \"crl.pem\""};
  }
  const std::string file = settings.crl, advice = "copy ca/crl.pem of the federation once more";
  const auto crl = security::read_text_file(settings.crl), ca = security::read_text_file(settings.tls.ca);
  if (!crl) return {Level::Bad, "crl", crl.error().message, advice};
  if (!ca) return {Level::Bad, "crl", fmt::format("{} cannot be judged without the ca file", file), "see above"};
  const auto entries = security::read_crl(*crl, *ca);
  if (!entries) return {Level::Bad, "crl", fmt::format("{}: {}", file, entries.error().message), advice};
  return {Level::Fine, "crl",
          fmt::format("{}: {} certificate{} revoked", file, entries->size(), entries->size() == 1 ? "" : "s"), ""};
}

CheckLine check_clients(const std::vector<std::string>& clients) {
  for (const std::string& name : clients) {
    if (const auto fine = check_name(name); !fine) {
      return {Level::Bad, "clients", fine.error().message, "use the names that were given to fedrk provision"};
    }
  }
  return {Level::Fine, "clients", fmt::format("{}", fmt::join(clients, ", ")), ""};
}

void check_plan(const network::ServerSettings& settings, CheckLines& lines) {
  if (settings.plan.empty()) {
    return lines.push_back({Level::Warning, "plan", "none is named in the settings",
                            "give one to fedrk server, or add plan = \"plan.toml\""});
  }
  const auto read = network::read_server_plan(settings);
  if (!read) return lines.push_back({Level::Bad, "plan", read.error().message, "mend the plan"});
  if (read->left_out.empty()) {
    lines.push_back({Level::Fine, "plan", fmt::format("{} can be read", settings.plan), ""});
  } else {
    lines.push_back({Level::Warning, "plan", read->left_out, "take these entries out"});
  }
  if (const auto fine = check_privacy(settings, read->plan); !fine) {
    return lines.push_back({Level::Bad, "privacy", fine.error().message, "see docs/privacy.md"});
  }
  const bool masked = is_masked(settings, read->plan);
  lines.push_back({masked ? Level::Fine : Level::Warning, "privacy", masked ? "sums are masked" : kUpdatesRevealed,
                   masked ? "" : "see docs/privacy.md"});
}

}  // namespace

CheckLines check_server(const network::ServerSettings& settings) {
  CheckLines lines;
  if (const auto fine = check(settings); !fine) {
    lines.push_back({Level::Bad, "settings", fine.error().message, "mend the file"});
  } else {
    lines.push_back({Level::Fine, "settings", fmt::format("server at {}", settings.listen), ""});
  }
  check_plan(settings, lines);
  if (!settings.clients.empty()) lines.push_back(check_clients(settings.clients));
  check_credentials(settings.tls, settings.insecure, security::Role::Server, "", lines);
  if (!settings.insecure) lines.push_back(check_crl(settings));
  check_folder("out", settings.out, lines);
  lines.push_back(check_address("listen", settings.listen));
  if (!settings.metrics.empty()) lines.push_back(check_metrics(settings));
  return lines;
}

}  // namespace fedrk::app

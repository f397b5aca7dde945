// SPDX-License-Identifier: Apache-2.0

// fedrk check: everything a participant can get wrong before it takes part, found on its own machine.

#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <string>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/write_file.hpp"
#include "before_joining.hpp"
#include "check.hpp"
#include "commands.hpp"
#include "flags.hpp"
#include "output.hpp"

namespace fedrk::app {
namespace {

using Json = nlohmann::ordered_json;
using Level = CheckLine::Level;
using security::Moment;
namespace fs = std::filesystem;

struct CheckArguments {
  std::string settings;
  CheckOptions options;
  double timeout = 10.0;
  OutputFormat format = OutputFormat::Text;
};

// ---- What clients and servers have in common.

Level level_of(security::Remark::Level level) {
  if (level == security::Remark::Level::Bad) return Level::Bad;
  return level == security::Remark::Level::Warning ? Level::Warning : Level::Fine;
}

// When a file got its content; a clock that was set back since then is behind it.
Moment written(const fs::path& path, Moment otherwise) {
  struct stat about {};
  return ::stat(path.c_str(), &about) == 0 ? Moment(std::chrono::seconds(about.st_mtime)) : otherwise;
}

CheckLine check_clock(const security::CredentialFiles& files, Moment now) {
  const std::string says = fmt::format("this machine's says {}", security::moment_text(now));
  const Moment sane(std::chrono::sys_days(std::chrono::year(2024) / 1 / 1));
  if (now < sane) return {Level::Bad, "clock", says, "set it: certificates are believed by their dates"};
  if (written(files.certificate, now) > now + std::chrono::hours(1)) {
    return {Level::Warning, "clock", fmt::format("{}, but {} was written later", says, files.certificate.string()),
            "look at the clock: certificates are believed by their dates"};
  }
  return {Level::Fine, "clock", says, ""};
}

// ---- The command.

CheckLines look(const CheckArguments& arguments) {
  const auto unreadable = [](const Error& error) -> CheckLines {
    return {{Level::Bad, "settings", error.message, "mend the file, or name the right one"}};
  };
  if (network::is_server_file(arguments.settings)) {
    const auto settings = network::read_server_settings(arguments.settings);
    return settings ? check_server(*settings) : unreadable(settings.error());
  }
  const auto settings = network::read_client_settings(arguments.settings);
  return settings ? check_client(*settings, arguments.options) : unreadable(settings.error());
}

// A message that names its file needs no other subject.
bool names_itself(const CheckLine& line) {
  const std::size_t at = line.message.find(line.about + ":");
  return at != std::string::npos && line.message.find(' ') > at;
}

std::string as_text(const CheckLines& lines) {
  std::string text;
  for (const CheckLine& line : lines) {
    const char* mark = line.level == Level::Fine ? "ok" : line.level == Level::Warning ? "warn" : "BAD";
    text += fmt::format("{:<5}{}{}{}{}\n", mark, names_itself(line) ? "" : line.about + ": ", line.message,
                        line.advice.empty() ? "" : "; ", line.advice);
  }
  return text;
}

std::string as_json(const CheckArguments& arguments, const CheckLines& lines, bool fine) {
  Json json{{"settings", arguments.settings}, {"fine", fine}, {"findings", Json::array()}};
  for (const CheckLine& line : lines) {
    const char* level = line.level == Level::Fine ? "ok" : line.level == Level::Warning ? "warning" : "bad";
    json["findings"].push_back(
        {{"level", level}, {"about", line.about}, {"words", line.message}, {"advice", line.advice}});
  }
  return json.dump(2) + "\n";
}

int run_check(CheckArguments arguments) {
  arguments.options.timeout = std::chrono::milliseconds(static_cast<long>(arguments.timeout * 1000.0));
  const CheckLines lines = look(arguments);
  const bool fine = std::ranges::find(lines, Level::Bad, &CheckLine::level) == lines.end();
  const bool json = arguments.format == OutputFormat::Json;
  if (!print_result(json ? as_json(arguments, lines, fine) : as_text(lines))) return kRunFailed;
  return fine ? kDone : kBadInput;
}

}  // namespace

void check_credentials(const network::TlsFiles& tls, bool insecure, security::Role role, const std::string& name,
                       CheckLines& lines) {
  if (insecure) {
    return lines.push_back({Level::Warning, "insecure", "no TLS: anybody may read along, and be anybody",
                            "for tests only; take the entry out of the settings"});
  }
  const security::CredentialFiles files = credential_files(tls);
  const Moment now = security::now();
  for (const security::Remark& remark : security::look_at_own(files, role, now, name)) {
    lines.push_back({level_of(remark.level), remark.about, remark.message, remark.advice});
  }
  lines.push_back(check_clock(files, now));
}

void check_folder(const std::string& about, const fs::path& folder, CheckLines& lines) {
  constexpr std::uintmax_t kFew = 100'000'000, kNone = 1'000'000;
  std::error_code ignored;
  fs::path there = fs::absolute(folder, ignored);
  while (!fs::exists(there, ignored) && there.has_relative_path()) there = there.parent_path();
  const bool is_new = !fs::exists(folder, ignored);
  // Only what exists is tried: a check should leave nothing behind.
  if (const auto writable = io::make_writable_folder(there); !writable) {
    lines.push_back({Level::Bad, about, writable.error().message, "give this user the right to write there"});
    return;
  }
  const fs::space_info space = fs::space(there, ignored);
  const std::string message =
      fmt::format("{} can be {}, with {} free", folder.string(), is_new ? "made" : "written into",
                  bytes_text(static_cast<double>(space.available)));
  if (space.available >= kFew) return lines.push_back({Level::Fine, about, message, ""});
  lines.push_back({space.available < kNone ? Level::Bad : Level::Warning, about, message, "make room on that disk"});
}

Command check_command() {
  const auto arguments = std::make_shared<CheckArguments>();
  CheckOptions& options = arguments->options;
  const auto seconds =
      number(arguments->timeout, "a number from 0.001 to 3600", [](double s) { return s >= 0.001 && s <= 3600.0; });
  return {.name = "check",
          .about = "check whether a client or the server of a federation is ready",
          .arguments = {{.name = "settings",
                         .value = "FILE",
                         .help = "client.toml or server.toml",
                         .set = text(arguments->settings),
                         .required = true}},
          .flags = {{"plan", "FILE", "plan to check the data of a client against", text(options.plan)},
                    {"target", "COLUMN", "target column of a client's table, in place of a plan", text(options.target)},
                    {"ignore", "COLUMN", "of a client: a column to leave out, as in a plan (may be repeated)",
                     texts(options.ignore)},
                    {"offline", "", "do not connect to the server", on(options.offline)},
                    {"timeout", "SECONDS", "time limit for connecting to the server", seconds, "10"},
                    format_flag(arguments->format)},
          .footer =
              "The exit code is 0 where nothing is bad, else 2.\n\n"
              "Examples:\n"
              "  fedrk check client.toml\n"
              "  fedrk check client.toml --plan plan.toml --offline",
          .run = [arguments] { return run_check(*arguments); }};
}

}  // namespace fedrk::app

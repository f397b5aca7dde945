// SPDX-License-Identifier: Apache-2.0

// fedrk check: everything a participant can get wrong before it takes part, found on its own machine.

#include <algorithm>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "check_lines.hpp"
#include "commands.hpp"
#include "help.hpp"
#include "output.hpp"

namespace fedrk::app {
namespace {

using Json = nlohmann::ordered_json;
using Level = CheckLine::Level;

struct CheckArguments {
  std::string settings;
  CheckOptions options;
  double timeout = 10.0;
  OutputFormat format = OutputFormat::Text;
};

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
  const std::size_t at = line.words.find(line.about + ":");
  return at != std::string::npos && line.words.find(' ') > at;
}

std::string as_text(const CheckLines& lines) {
  std::string text;
  for (const CheckLine& line : lines) {
    const char* mark = line.level == Level::Fine ? "ok" : line.level == Level::Warning ? "warn" : "BAD";
    text += fmt::format("{:<5}{}{}{}{}\n", mark, names_itself(line) ? "" : line.about + ": ", line.words,
                        line.advice.empty() ? "" : "; ", line.advice);
  }
  return text;
}

std::string as_json(const CheckArguments& arguments, const CheckLines& lines, bool fine) {
  Json json{{"settings", arguments.settings}, {"fine", fine}, {"findings", Json::array()}};
  for (const CheckLine& line : lines) {
    const char* level = line.level == Level::Fine ? "ok" : line.level == Level::Warning ? "warning" : "bad";
    json["findings"].push_back(
        {{"level", level}, {"about", line.about}, {"words", line.words}, {"advice", line.advice}});
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

void add_check(CLI::App& program, int& exit_code) {
  auto* command = program.add_subcommand("check", "check whether a client or the server of a federation is ready");
  const auto arguments = std::make_shared<CheckArguments>();
  CheckOptions& options = arguments->options;
  format_help(*command);
  command->add_option("settings", arguments->settings, "client.toml or server.toml")->required()->type_name("FILE");
  command->add_option("--plan", options.plan, "plan to check the data of a client against")->type_name("FILE");
  command->add_option("--target", options.target, "target column of a client's table, in place of a plan")
      ->type_name("COLUMN");
  command->add_option("--ignore", options.ignore, "of a client: a column to leave out, as in a plan (may be repeated)")
      ->type_name("COLUMN")
      ->allow_extra_args(false);
  command->add_flag("--offline", options.offline, "do not connect to the server");
  command->add_option("--timeout", arguments->timeout, "time limit for connecting to the server")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.001, 3600.0).description(""))
      ->default_str("10");
  add_format_flag(*command, arguments->format);
  command->footer(
      "The exit code is 0 where nothing is bad, else 2.\n\n"
      "Examples:\n"
      "  fedrk check client.toml\n"
      "  fedrk check client.toml --plan plan.toml --offline");
  command->callback([arguments, &exit_code] { exit_code = run_check(*arguments); });
}

}  // namespace fedrk::app

// SPDX-License-Identifier: Apache-2.0
#include "output.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include "choice.hpp"

namespace fedrk::app {
namespace {

bool quiet = false;

class HelpFormatter final : public CLI::Formatter {
 public:
  HelpFormatter() { column_width(38); }

  std::string make_option_opts(const CLI::Option* option) const override {
    std::string text;
    if (!option->get_type_name().empty()) text += " " + option->get_type_name();
    if (!option->get_default_str().empty()) text += " [" + option->get_default_str() + "]";
    return text;
  }
};

}  // namespace

void format_help(CLI::App& command) { command.formatter(std::make_shared<HelpFormatter>()); }

void add_format_flag(CLI::App& command, OutputFormat& format) {
  const std::map<std::string, OutputFormat> names{{"text", OutputFormat::Text}, {"json", OutputFormat::Json}};
  add_choice(command, "--format", format, names, "what to print on stdout: text for people, json for programs")
      ->type_name("text|json")
      ->default_str("text")
      ->group("Output");
}

void keep_quiet() { quiet = true; }

void say(std::string_view text) {
  if (quiet || text.empty()) return;
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

bool print_result(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!written) say(fmt::format("fedrk: cannot write to standard output: {}\n", std::strerror(errno)));
  return written;
}

int complain(std::string_view message, int exit_code) {
  say(fmt::format("fedrk: {}\n", message));
  return exit_code;
}

}  // namespace fedrk::app

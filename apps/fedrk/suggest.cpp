// SPDX-License-Identifier: Apache-2.0
#include "suggest.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "help.hpp"

namespace fedrk::app {
namespace {

std::vector<std::string> command_names(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

std::vector<std::string> flag_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    if (is_refused(*option)) continue;
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string did_you_mean(const std::string& guess) {
  return guess.empty() ? "" : fmt::format("; did you mean {}?", guess);
}

// The command that was chosen, or else the program.
const CLI::App& chosen(const CLI::App& program) {
  const auto commands = program.get_subcommands();
  return commands.empty() ? program : *commands.front();
}

std::string extras_error(const CLI::App& command) {
  const std::vector<std::string> extras = command.remaining(true);
  const auto is_flag = [](const std::string& word) { return word.starts_with('-') && word.size() > 1; };
  const auto flag = std::ranges::find_if(extras, is_flag);
  if (flag == extras.end()) return fmt::format("unexpected argument '{}'", extras.empty() ? "" : extras.front());
  const std::string typed = flag->substr(0, flag->find('='));
  return fmt::format("unknown option {}{}", typed, did_you_mean(nearest(typed, flag_names(command))));
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last, last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last = std::exchange(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row.back();
}

std::string nearest(std::string_view typed, const std::vector<std::string>& known) {
  const std::size_t letters = typed.size() - std::min(typed.find_first_not_of('-'), typed.size());
  const std::size_t most = std::max<std::size_t>(1, letters / 3);  // words farther away are not what was meant
  std::size_t least = static_cast<std::size_t>(-1);
  std::string found;
  for (const std::string& word : known) {
    const std::size_t edits = edit_distance(typed, word);
    const bool begun = letters >= 3 && word.starts_with(typed);
    if ((edits > most && !begun) || edits >= least) continue;
    least = edits;
    found = word;
  }
  return found;
}

std::string usage_error(const CLI::App& program, const CLI::ParseError& error) {
  const CLI::App& command = chosen(program);
  const bool extras = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  const std::string where = &command == &program ? program.get_name() : program.get_name() + ' ' + command.get_name();
  return fmt::format("{}\nTry \"{} --help\".", extras ? extras_error(command) : error.what(), where);
}

std::string command_error(const CLI::App& program, std::string_view word) {
  const std::vector<std::string> names = command_names(program);
  if (std::ranges::find(names, word) != names.end()) return "";
  return fmt::format("unknown command {}{}\nTry \"{} --help\".", word, did_you_mean(nearest(word, names)),
                     program.get_name());
}

}  // namespace fedrk::app

// SPDX-License-Identifier: Apache-2.0
#include "cli.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <new>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "checkpoint/run_store.hpp"
#include "fedrk/error.hpp"
#include "output.hpp"

namespace fedrk::app {
namespace {

// ---- Help.

constexpr std::size_t kFlagWidth = 34, kHelpWidth = 64;

/// Leaves room for long flags, wraps lines, shows defaults as "[20]", and lists rare flags in --help-all only.
class HelpFormatter final : public CLI::Formatter {
 public:
  HelpFormatter() { column_width(kFlagWidth); }

  void leave_to_help_all(const CLI::Option* option) { rare_.insert(option); }

  std::string make_option_opts(const CLI::Option* option) const override {
    std::string text;
    if (!option->get_type_name().empty()) text += " " + option->get_type_name();
    if (!option->get_default_str().empty()) text += " [" + option->get_default_str() + "]";
    return text;
  }

  // Line by line, as some texts are lists.
  std::string make_option_desc(const CLI::Option* option) const override {
    std::istringstream lines(option->get_description());
    std::string text;
    for (std::string line; std::getline(lines, line);) text += wrapped(line, kHelpWidth, 0);
    return text.empty() ? text : text.substr(0, text.size() - 1);
  }

  std::string make_help(const CLI::App* command, std::string name, CLI::AppFormatMode mode) const override {
    return make_description(command) + make_usage(command, std::move(name)) + make_positionals(command) +
           groups(command, mode == CLI::AppFormatMode::All) + make_subcommands(command, CLI::AppFormatMode::Normal) +
           '\n' + make_footer(command);
  }

 private:
  std::string groups(const CLI::App* command, bool all) const {
    std::string text;
    for (const std::string& group : command->get_groups()) {
      const auto shown = command->get_options([&](const CLI::Option* option) {
        return option->get_group() == group && option->nonpositional() && (all || !rare_.contains(option));
      });
      if (!group.empty() && !shown.empty()) text += make_group(group, false, shown);
    }
    return text;
  }

  std::set<const CLI::Option*> rare_;
};

// ---- From tables to parsers.

struct Parser {
  CLI::App* app;
  const Command* command;
  std::vector<std::pair<CLI::Option*, const Flag*>> options{};
  std::vector<std::pair<CLI::Option*, const RefusedFlag*>> refused{};
};

// --help-all is taken everywhere, and listed where it shows more than --help.
std::shared_ptr<HelpFormatter> format_help(CLI::App& app, bool more = false) {
  auto formatter = std::make_shared<HelpFormatter>();
  app.formatter(formatter);
  app.get_help_ptr()->description(more ? "print the common options and exit" : "print this help and exit");
  CLI::Option* all = app.set_help_all_flag("--help-all", "print all options and exit");
  if (!more) all->group("");
  return formatter;
}

CLI::Option* add_flag(CLI::App& app, const Flag& flag) {
  if (flag.value.empty()) return app.add_flag("--" + flag.name)->description(flag.help);
  CLI::Option* option = app.add_option("--" + flag.name, CLI::callback_t(), flag.help);
  return option->expected(1, CLI::detail::expected_max_vector_size)->allow_extra_args(false);
}

CLI::Option* add_argument(CLI::App& app, const Flag& flag) {
  CLI::Option* option = app.add_option(flag.name, CLI::callback_t(), flag.help);
  if (!flag.value.ends_with("...")) return option;
  return option->expected(1, CLI::detail::expected_max_vector_size)->allow_extra_args();
}

Parser add_command(CLI::App& program, const Command& command) {
  Parser parser{program.add_subcommand(command.name, command.about), &command};
  CLI::App& app = *parser.app;
  const auto formatter = format_help(app, !std::ranges::all_of(command.flags, &Flag::common));
  const auto describe = [&](CLI::Option* option, const Flag& flag) {
    option->type_name(flag.value)->default_str(flag.shown)->group(flag.group)->required(flag.required);
    parser.options.emplace_back(option, &flag);
  };
  for (const Flag& argument : command.arguments) describe(add_argument(app, argument), argument);
  for (const Flag& flag : command.flags) {
    CLI::Option* option = add_flag(app, flag);
    describe(option, flag);
    if (!flag.common) formatter->leave_to_help_all(option);
  }
  for (const RefusedFlag& flag : command.refused) {
    if (app.get_option_no_throw("--" + flag.name) != nullptr) continue;
    CLI::Option* option = app.add_option("--" + flag.name, CLI::callback_t(), flag.reason);
    parser.refused.emplace_back(option->expected(0, 1)->group(""), &flag);
  }
  app.footer(command.footer);
  return parser;
}

// The option that was taken for a value because a value is missing, if any.
std::string option_among(const CLI::App& app, const std::vector<std::string>& values) {
  const auto is_option = [&](const std::string& value) {
    return value.starts_with("--") && app.get_option_no_throw(value.substr(0, value.find('='))) != nullptr;
  };
  const auto found = std::ranges::find_if(values, is_option);
  return found == values.end() ? "" : *found;
}

// Hands over what was given.
Result<void> set_flags(const Parser& parser) {
  for (const auto& [option, flag] : parser.refused) {
    if (option->count() > 0) return Error{fmt::format("--{}: {}", flag->name, flag->reason)};
  }
  for (const auto& [option, flag] : parser.options) {
    if (option->count() == 0) continue;
    const auto& given = option->results();
    if (const std::string taken = option_among(*parser.app, given); !taken.empty() && !flag->value.empty()) {
      return Error{fmt::format("{}: expected {}, found the option {}", option->get_name(), flag->value, taken)};
    }
    const auto done = flag->set(flag->value.empty() ? io::OptionValues{given.back()} : given);
    if (!done) return Error{fmt::format("{}: {}", option->get_name(), done.error().message)};
  }
  return {};
}

// ---- Suggestions.

/// Edits that lead from one word to the other: a letter added, dropped, replaced, or swapped with its neighbour.
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

/// "; did you mean --rounds?", or nothing where no known word is near.
std::string did_you_mean(std::string_view typed, const std::vector<std::string>& known) {
  const std::size_t letters = typed.size() - std::min(typed.find_first_not_of('-'), typed.size());
  const std::size_t most = std::max<std::size_t>(1, letters / 3);  // words farther away are not what was meant
  std::size_t lowest = static_cast<std::size_t>(-1);
  std::string found;
  for (const std::string& word : known) {
    const std::size_t edits = edit_distance(typed, word);
    const bool begun = letters >= 3 && word.starts_with(typed);
    if ((edits > most && !begun) || edits >= lowest) continue;
    lowest = edits;
    found = word;
  }
  return found.empty() ? "" : fmt::format("; did you mean {}?", found);
}

std::string unknown_command(const Program& program, std::string_view word) {
  std::vector<std::string> names;
  for (const Command& command : program.commands) names.push_back(command.name);
  return fmt::format("unknown command {}{}", word, did_you_mean(word, names));
}

std::string unknown_option(const CLI::App& app, const Parser* parser) {
  const std::vector<std::string> extras = app.remaining(true);
  const auto is_flag = [](const std::string& word) { return word.starts_with('-') && word.size() > 1; };
  const auto flag = std::ranges::find_if(extras, is_flag);
  if (flag == extras.end()) return fmt::format("unexpected argument '{}'", extras.empty() ? "" : extras.front());
  const std::string typed = flag->substr(0, flag->find('='));
  std::vector<std::string> known{"--help"};
  if (parser != nullptr) {
    for (const Flag& own : parser->command->flags) known.push_back("--" + own.name);
  }
  known.emplace_back("--help-all");
  return fmt::format("unknown option {}{}", typed, did_you_mean(typed, known));
}

const Command* find_command(const Program& program, std::string_view name) {
  const auto found = std::ranges::find(program.commands, name, &Command::name);
  return found == program.commands.end() ? nullptr : &*found;
}

int refuse(const std::string& what, const std::string& where) {
  return complain(fmt::format("{}\nTry \"{} --help\".", what, where), kBadInput);
}

}  // namespace

int run(const Program& program, int argc, char** argv) {
  const std::string_view first = argc > 1 ? argv[1] : "--help";
  if (!first.starts_with('-') && find_command(program, first) == nullptr) {
    return refuse(unknown_command(program, first), program.name);
  }
  constexpr std::string_view kAlone[] = {"-h", "--help", "--help-all", "--version"};
  if (first.starts_with('-') && std::ranges::find(kAlone, first) == std::end(kAlone)) {
    return refuse(fmt::format("unknown option {}; options follow the command", first), program.name);
  }
  CLI::App app{program.about};
  app.name(program.name);
  app.set_version_flag("--version", program.name + ' ' + program.version);
  app.require_subcommand(1);
  format_help(app);
  app.footer(program.footer);
  std::vector<Parser> parsers;
  for (const Command& command : program.commands) parsers.push_back(add_command(app, command));
  const auto chosen = [&]() -> const Parser* {
    const auto commands = app.get_subcommands();
    return commands.empty() ? nullptr : &*std::ranges::find(parsers, commands.front(), &Parser::app);
  };
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream text;
    if (error.get_exit_code() == 0) {  // --help, --version
      app.exit(error, text, text);
      return print_result(text.str()) ? kDone : kRunFailed;
    }
    const Parser* parser = chosen();
    const bool extras = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
    return refuse(extras ? unknown_option(parser == nullptr ? app : *parser->app, parser) : error.what(),
                  parser == nullptr ? program.name : program.name + ' ' + parser->command->name);
  }
  if (const auto done = set_flags(*chosen()); !done) return complain(done.error().message, kBadInput);
  return chosen()->command->run();
}

Failure current_failure() try { throw; } catch (const InvalidArgument& error) {
  return {error.what(), kBadInput};
} catch (const store::StoreFailed& error) {
  return {std::string(error.what()) + "\nWhat was stored before stays: \"fedrk resume\" goes on from there.",
          kRunFailed};
} catch (const std::bad_alloc&) {
  return {"not enough memory for this problem", kRunFailed};
} catch (const std::exception& error) {
  return {std::string("unexpected: ") + error.what(), kRunFailed};
}

}  // namespace fedrk::app

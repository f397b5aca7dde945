// SPDX-License-Identifier: Apache-2.0
#include "help.hpp"

#include <memory>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "output.hpp"

namespace fedrk::app {
namespace {

constexpr std::size_t kFlagWidth = 34, kHelpWidth = 64;

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

// Refused flags are hidden, and have a text in spite of that.
bool is_hidden(const CLI::Option& option) { return option.get_group().empty(); }

}  // namespace

void format_help(CLI::App& command) {
  command.formatter(std::make_shared<HelpFormatter>());
  command.get_help_ptr()->description("print this help and exit");
}

void only_in_help_all(CLI::App& command, const CLI::Option* option) {
  std::dynamic_pointer_cast<HelpFormatter>(command.get_formatter())->leave_to_help_all(option);
  if (command.get_help_all_ptr() != nullptr) return;
  command.get_help_ptr()->description("print the common options and exit");
  command.set_help_all_flag("--help-all", "print all options and exit");
}

void refuse_flag(CLI::App& command, const std::string& name, const std::string& reason) {
  if (command.get_option_no_throw(name) != nullptr) return;
  const auto refuse = [name, reason](const std::vector<std::string>&) { throw CLI::ValidationError(name, reason); };
  command.add_option_function<std::vector<std::string>>(name, refuse, reason)->expected(0, 1)->group("");
}

bool is_refused(const CLI::Option& option) { return is_hidden(option) && !option.get_description().empty(); }

}  // namespace fedrk::app

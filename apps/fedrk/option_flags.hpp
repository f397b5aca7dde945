// SPDX-License-Identifier: Apache-2.0
#pragma once

// A table of options as flags, and a file that they override.

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "fedrk/base/result.hpp"
#include "fedrk/io/options.hpp"

namespace fedrk::app {

template <class Settings>
class OptionFlags {
 public:
  /// `wanted` says which of the options become flags.
  template <class Wanted>
  void add_to(CLI::App& command, std::span<const io::Option<Settings>> options, Wanted wanted) {
    options_ = options;
    const Settings defaults;
    for (const io::Option<Settings>& entry : options) {
      if (wanted(entry)) add_flag(command, entry, entry.get(defaults));
    }
  }
  void add_to(CLI::App& command, std::span<const io::Option<Settings>> options) {
    add_to(command, options, [](const auto&) { return true; });
  }

  /// Whether the flag of an entry was given.
  bool given(const std::string& name) const {
    const auto found = given_.find(name);
    return found != given_.end() && !found->second.empty();
  }

  /// Sets what was given.
  Result<void> apply_to(Settings& settings) const {
    for (const auto& [name, values] : given_) {
      if (values.empty()) continue;
      if (const auto done = io::find_option(options_, name)->set(settings, values); !done) {
        return Error{fmt::format("--{}: {}", name, done.error().message)};
      }
    }
    return {};
  }

 private:
  void add_flag(CLI::App& command, const io::Option<Settings>& entry, const io::OptionValues& shown) {
    const std::string name(entry.name);
    std::vector<std::string>& values = given_[name];
    CLI::Option* option = nullptr;
    if (entry.kind == io::OptionKind::Switch) {
      const auto turn = [&values](std::string to) { return [&values, to](std::int64_t) { values = {to}; }; };
      option = command.add_flag_function("--" + name, turn("true"), std::string(entry.help));
      // For a file that says yes and a run that should not; not worth a line of help.
      command.add_flag_function("--no-" + name, turn("false"))->group("");
    } else {
      option = command.add_option("--" + name, values, std::string(entry.help));
      option->allow_extra_args(false)->type_name(std::string(entry.placeholder));
      if (!shown.empty()) option->default_str(fmt::format("{}", fmt::join(shown, ",")));
    }
    option->group(std::string(entry.group));
  }

  std::span<const io::Option<Settings>> options_;
  std::map<std::string, std::vector<std::string>> given_;  // by entry
};

}  // namespace fedrk::app

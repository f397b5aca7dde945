// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include <CLI/CLI.hpp>

namespace fedrk::app {

/// An option that takes one of a few names, and refuses others in words: "--format: expected json or text, found
/// 'yaml'".
template <class Enum>
CLI::Option* add_choice(CLI::App& command, const std::string& name, Enum& value,
                        const std::map<std::string, Enum>& names, const std::string& help) {
  const auto choose = [&value, names, name](const std::string& given) {
    const auto found = names.find(given);
    if (found != names.end()) {
      value = found->second;
      return;
    }
    std::string known;
    for (const auto& [known_name, _] : names) {
      known += known.empty() ? "" : known_name == names.rbegin()->first ? " or " : ", ";
      known += known_name;
    }
    throw CLI::ValidationError(name, "expected " + known + ", found '" + given + "'");
  };
  return command.add_option_function<std::string>(name, choose, help);
}

}  // namespace fedrk::app

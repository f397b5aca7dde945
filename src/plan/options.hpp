// SPDX-License-Identifier: Apache-2.0
#pragma once

// Entries of a settings file, each described once: flags, files, what is written back and --help are all made from a
// table of them. Plans have one (plan_options.hpp), and so have the files of servers and clients.

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace fedrk::io {

enum class OptionKind {
  Switch,  // true or false
  Number,  // a number, or one of a few words such as "inf"
  Text,
  Path,   // text that a file gives relative to its folder
  Paths,  // any number of these
  Texts,
};

using OptionValues = std::vector<std::string>;

template <class Settings>
struct Option {
  std::string_view name;  // as in --name and in a file
  std::string_view group;
  OptionKind kind;
  std::string_view placeholder;
  std::string_view help;
  Result<void> (*set)(Settings& settings, const OptionValues& values);
  OptionValues (*get)(const Settings& settings);  // empty: not set
};

/// Nothing where there is no such option.
template <class Settings>
const Option<Settings>* find_option(std::span<const Option<Settings>> options, std::string_view name) {
  const auto found = std::ranges::find(options, name, &Option<Settings>::name);
  return found == options.end() ? nullptr : &*found;
}

/// Reads the entries of a TOML file. Relative paths in it are relative to its folder. `noun` is what the file is to be:
/// "a plan".
Result<void> read_entries(const std::filesystem::path& path, std::string_view noun,
                          const std::function<std::optional<OptionKind>(std::string_view name)>& kind_of,
                          const std::function<Result<void>(std::string_view name, const OptionValues& values)>& set);

template <class Settings>
Result<void> read_options(const std::filesystem::path& path, std::string_view noun,
                          std::span<const Option<Settings>> options, Settings& settings) {
  return read_entries(
      path, noun,
      [&](std::string_view name) {
        const auto* option = find_option(options, name);
        return option == nullptr ? std::nullopt : std::optional(option->kind);
      },
      [&](std::string_view name, const OptionValues& values) {
        return find_option(options, name)->set(settings, values);
      });
}

/// "name = value" as a line of a TOML file in `folder`: paths are written relative to that.
std::string entry_text(std::string_view name, OptionKind kind, const OptionValues& values,
                       const std::filesystem::path& folder);

/// All that is set and wanted, for a file in `folder`.
template <class Settings, class Wanted>
std::string options_text(std::span<const Option<Settings>> options, const Settings& settings,
                         const std::filesystem::path& folder, Wanted wanted) {
  std::string text;
  std::string_view group;
  for (const Option<Settings>& option : options) {
    const OptionValues values = option.get(settings);
    if (values.empty() || !wanted(option)) continue;
    if (option.group != group) text += "\n# " + std::string(group = option.group) + "\n";
    text += entry_text(option.name, option.kind, values, folder);
  }
  return text;
}
template <class Settings>
std::string options_text(std::span<const Option<Settings>> options, const Settings& settings,
                         const std::filesystem::path& folder) {
  return options_text(options, settings, folder, [](const auto&) { return true; });
}

}  // namespace fedrk::io

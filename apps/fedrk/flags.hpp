// SPDX-License-Identifier: Apache-2.0
#pragma once

// What commands need to describe their flags: setters for fields, flags that several commands have, and flags made from
// a table of options (plan/options.hpp) whose settings also come from a file.

#include <concepts>
#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli.hpp"
#include "output.hpp"
#include "plan/option_values.hpp"
#include "progress.hpp"

namespace fedrk::app {

// ---- Setters. The field must live until the command has run.

Setter text(std::string& field);
Setter texts(std::vector<std::string>& field);
Setter on(bool& field);
/// A number that `accepts` takes; `expected` says which: "a number above 0".
Setter number(double& field, std::string expected, bool (*accepts)(double));

template <std::unsigned_integral Whole>
Setter whole(Whole& field, Whole smallest) {
  return [&field, smallest](const io::OptionValues& values) { return io::set_whole<Whole>(values, field, smallest); };
}

/// One of a few names. Others are refused: "expected json or text, found 'yaml'".
template <class Value>
Setter choice(Value& field, std::map<std::string, Value> names) {
  return [&field, names = std::move(names)](const io::OptionValues& values) -> Result<void> {
    const auto name = io::single(values);
    if (!name) return name.error();
    if (const auto found = names.find(*name); found != names.end()) {
      field = found->second;
      return {};
    }
    std::string known;
    for (const auto& [word, _] : names) {
      known += (known.empty() ? "" : word == names.rbegin()->first ? " or " : ", ") + word;
    }
    return Error{fmt::format("expected {}, found '{}'", known, *name)};
  };
}

// ---- Flags of several commands.

Flag format_flag(OutputFormat& format);
Flag progress_flag(ProgressStyle& style);
/// 0: all cores.
Flag threads_flag(std::size_t& threads);
/// The folder of a run as a command's one argument.
Flag run_argument(std::string& folder, std::string help = "folder of the run");

Flag& find_flag(std::vector<Flag>& flags, std::string_view name);
void append(std::vector<Flag>& flags, std::vector<Flag> more);

// ---- Tables of options.

/// Keeps what was given until a file is read that it overrides.
template <class Settings>
class OptionFlags {
 public:
  /// The flags of the wanted options. They refer to this object.
  template <class Wanted>
  std::vector<Flag> flags(std::span<const io::Option<Settings>> options, Wanted wanted) {
    options_ = options;
    const Settings defaults;
    std::vector<Flag> flags;
    for (const io::Option<Settings>& option : options) {
      if (!wanted(option)) continue;
      const std::string name(option.name), help(option.help), group(option.group);
      const auto keep = [this, name](const io::OptionValues& values) -> Result<void> {
        given_[name] = values;
        return {};
      };
      if (option.kind == io::OptionKind::Switch) {
        const auto turn_off = [this, keep, name](const io::OptionValues& values) -> Result<void> {
          if (given_.contains(name)) return Error{fmt::format("contradicts --{}: give one of them", name)};
          bool off = true;
          if (const auto done = io::set_switch(values, off); !done) return done.error();
          return keep({off ? "false" : "true"});
        };
        flags.push_back({.name = name, .value = "", .help = help, .set = keep, .group = group});
        // For a file that says yes and a run that should not; not worth a line of help.
        flags.push_back({.name = "no-" + name, .value = "", .help = "", .set = turn_off, .group = ""});
      } else {
        const std::string shown = fmt::format("{}", fmt::join(option.get(defaults), ","));
        flags.push_back({name, std::string(option.placeholder), help, keep, shown, group});
      }
    }
    return flags;
  }
  std::vector<Flag> flags(std::span<const io::Option<Settings>> options) {
    return flags(options, [](const auto&) { return true; });
  }

  bool given(const std::string& name) const { return given_.contains(name); }

  /// Sets what was given.
  Result<void> apply_to(Settings& settings) const {
    for (const auto& [name, values] : given_) {
      if (const auto done = io::find_option(options_, name)->set(settings, values); !done) {
        return Error{fmt::format("--{}: {}", name, done.error().message)};
      }
    }
    return {};
  }

  /// What the file says, if one is named, with what was given over it.
  Result<Settings> settings(const std::string& file, Result<Settings> (*read)(const std::filesystem::path&)) const {
    auto settings = file.empty() ? Result<Settings>(Settings{}) : read(file);
    if (!settings) return settings;
    if (const auto done = apply_to(*settings); !done) return done.error();
    return settings;
  }

 private:
  std::span<const io::Option<Settings>> options_;
  std::map<std::string, io::OptionValues> given_;  // by name
};

/// Refuses every option of a table, for the same reason.
template <class Settings>
void refuse_options(std::span<const io::Option<Settings>> options, std::string_view reason,
                    std::vector<RefusedFlag>& refused) {
  for (const io::Option<Settings>& option : options) refused.push_back({std::string(option.name), std::string(reason)});
}

}  // namespace fedrk::app

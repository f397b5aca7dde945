// SPDX-License-Identifier: Apache-2.0
#pragma once

// Help texts in two sizes: --help lists the options that people use, --help-all lists every option.

#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace fedrk::app {

/// Gives a command's help room for long flags, wraps its lines, and shows defaults as "[20]".
void format_help(CLI::App& command);

/// Leaves the option to --help-all, which the command then has. REQUIRES: format_help was called.
void only_in_help_all(CLI::App& command, const CLI::Option* option);

/// Refuses a flag with a reason: "--tolerance: compare has no stopping tolerance". A flag that the command has stays.
void refuse_flag(CLI::App& command, const std::string& name, const std::string& reason);

/// Whether the option is one of these.
bool is_refused(const CLI::Option& option);

}  // namespace fedrk::app

// SPDX-License-Identifier: Apache-2.0
#pragma once

// How the program speaks: results on stdout, everything else on stderr.

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace fedrk::app {

enum class OutputFormat { Text, Json };

/// Adds --format text|json.
void add_format_flag(CLI::App& command, OutputFormat& format);

/// From now on nothing is said, by this process: another one speaks for it.
void keep_quiet();

/// Text on stderr. That nobody can read it is no reason to end a run, so failures are passed over.
void say(std::string_view text);

/// The result, on stdout. False, with a word on stderr, where it could not be written.
bool print_result(std::string_view text);

/// "fedrk: message" on stderr; returns `exit_code`, so that a command can end with it.
int complain(std::string_view message, int exit_code);

/// Columns of text as wide as their widest entry; the first is aligned left, the others right.
std::string table(const std::vector<std::vector<std::string>>& rows);

/// Text broken into lines of at most `width` characters, each after `indent` blanks.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);

/// 4 digits for a person: 0.3124, 1.2e-09, 12345.
std::string brief(double value);

/// 1.2 MB
std::string bytes_text(double bytes);

}  // namespace fedrk::app

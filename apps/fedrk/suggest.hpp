// SPDX-License-Identifier: Apache-2.0
#pragma once

// What to say about a command line that cannot be read: the mistake, and the nearest thing that exists.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace fedrk::app {

/// Edits that lead from one word to the other: a letter added, dropped, replaced, or swapped with its neighbour.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The known word that `typed` was most likely meant to be; empty where none is near.
std::string nearest(std::string_view typed, const std::vector<std::string>& known);

/// "unknown option --particpants; did you mean --participants?", and where to read more.
std::string usage_error(const CLI::App& program, const CLI::ParseError& error);

/// The same of a first word that is no command; empty where it is one.
std::string command_error(const CLI::App& program, std::string_view word);

}  // namespace fedrk::app

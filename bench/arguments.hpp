// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace fedrk::bench {

/// A flag of a benchmark and where its value goes; what is there before is its default.
struct Argument {
  const char* name;
  std::variant<bool*, double*, std::size_t*, std::string*, std::filesystem::path*> value;
  const char* help;
};

/// Reads the command line. The exit code where the program is to end with that: help, or a mistake.
std::optional<int> read_arguments(const char* about, const std::vector<Argument>& arguments, int argc, char** argv);

}  // namespace fedrk::bench

// SPDX-License-Identifier: Apache-2.0
#include "bench/arguments.hpp"

#include <type_traits>

#include <CLI/CLI.hpp>

namespace fedrk::bench {

std::optional<int> read_arguments(const char* about, const std::vector<Argument>& arguments, int argc, char** argv) {
  CLI::App app(about);
  for (const Argument& argument : arguments) {
    std::visit(
        [&](auto* value) {
          if constexpr (std::is_same_v<decltype(value), bool*>) {
            app.add_flag(argument.name, *value, argument.help);
          } else {
            app.add_option(argument.name, *value, argument.help)->capture_default_str();
          }
        },
        argument.value);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  }
  return std::nullopt;
}

}  // namespace fedrk::bench

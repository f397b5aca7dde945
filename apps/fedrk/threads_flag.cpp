// SPDX-License-Identifier: Apache-2.0
#include "threads_flag.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "fedrk/io/number.hpp"

namespace fedrk::app {

void add_threads_flag(CLI::App& command, std::string& text) {
  command.add_option("--threads", text, "number of threads; the result does not depend on it")
      ->type_name("N")
      ->default_str("all cores")
      ->group("Output");
}

Result<std::size_t> thread_count(const std::string& text) {
  if (text.empty()) return std::size_t{0};
  const auto count = io::parse_whole(text);
  if (!count || *count == 0) return Error{fmt::format("--threads: expected a whole number from 1, found '{}'", text)};
  return static_cast<std::size_t>(*count);
}

}  // namespace fedrk::app

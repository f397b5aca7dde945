// SPDX-License-Identifier: Apache-2.0
#include "flags.hpp"

#include <algorithm>
#include <iterator>

namespace fedrk::app {

using io::OptionValues;

Setter text(std::string& field) {
  return [&field](const OptionValues& values) -> Result<void> {
    if (values == OptionValues{""}) return Error{"expected a name, found an empty text"};
    return io::set_text(values, field);
  };
}

Setter texts(std::vector<std::string>& field) {
  return [&field](const OptionValues& values) { return io::set_list(values, field); };
}

Setter on(bool& field) {
  return [&field](const OptionValues& values) { return io::set_switch(values, field); };
}

Setter number(double& field, std::string expected, bool (*accepts)(double)) {
  return [&field, expected = std::move(expected), accepts](const OptionValues& values) {
    return io::set_number(values, expected, accepts, field);
  };
}

Flag format_flag(OutputFormat& format) {
  return {"format",
          "text|json",
          "output format on stdout",
          choice<OutputFormat>(format, {{"text", OutputFormat::Text}, {"json", OutputFormat::Json}}),
          "text",
          "Output"};
}

Flag progress_flag(ProgressStyle& style) {
  return {"progress",
          "auto|bar|lines|none",
          "progress on stderr; auto: a bar on a terminal, lines elsewhere",
          choice<ProgressStyle>(style, {{"auto", ProgressStyle::Auto},
                                        {"bar", ProgressStyle::Bar},
                                        {"lines", ProgressStyle::Lines},
                                        {"none", ProgressStyle::None}}),
          "auto",
          "Output"};
}

Flag threads_flag(std::size_t& threads) {
  return {"threads",   "N",     "number of threads; the result does not depend on it", whole(threads, std::size_t{1}),
          "all cores", "Output"};
}

Flag run_argument(std::string& folder, std::string help) {
  return {.name = "run", .value = "DIR", .help = std::move(help), .set = text(folder), .required = true};
}

Flag& find_flag(std::vector<Flag>& flags, std::string_view name) {
  return *std::ranges::find(flags, name, &Flag::name);
}

void append(std::vector<Flag>& flags, std::vector<Flag> more) {
  flags.insert(flags.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace fedrk::app

// SPDX-License-Identifier: Apache-2.0
#include "plan/options.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "base/mapped_file.hpp"
#include "base/number.hpp"

namespace fedrk::io {
namespace {

namespace fs = std::filesystem;

// A TOML value as the text that a flag would carry.
std::optional<std::string> as_text(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return std::to_string(number->get());
  if (const auto* on = node.as_boolean()) return on->get() ? "true" : "false";
  if (const auto* real = node.as_floating_point()) return real->get() == HUGE_VAL ? "inf" : to_text(real->get());
  return std::nullopt;
}

Result<OptionValues> values_of(OptionKind kind, const toml::node& node) {
  OptionValues values;
  const auto add = [&](const toml::node& entry) {
    const auto text = as_text(entry);
    if (text) values.push_back(*text);
    return text.has_value();
  };
  const bool is_list = kind == OptionKind::Paths || kind == OptionKind::Texts;
  if (const auto* entries = node.as_array(); entries != nullptr && is_list) {
    if (std::ranges::all_of(*entries, add)) return values;
  } else if (add(node)) {
    return values;
  }
  return Error{is_list ? "expected a list of texts" : "expected one value"};
}

// Relative paths are relative to the file, wherever the program was started.
void resolve_paths(OptionKind kind, const fs::path& folder, OptionValues& values) {
  if (kind != OptionKind::Path && kind != OptionKind::Paths) return;
  for (std::string& value : values) {
    if (!value.empty() && fs::path(value).is_relative()) value = (folder / value).lexically_normal().string();
  }
}

std::string toml_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      result += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      result += c;
    }
  }
  return result + '"';
}

// TOML's whole numbers have 63 bits; a larger one, a seed or a double, is written as text, which reads back just as
// well.
bool is_toml_number(std::string_view text) {
  const auto whole = parse_whole(text);
  if (whole) return *whole <= std::numeric_limits<std::int64_t>::max();
  return text.find_first_not_of("0123456789") != std::string_view::npos && parse_number(text);
}

std::string toml_value(OptionKind kind, OptionValues values, const fs::path& folder) {
  switch (kind) {
    case OptionKind::Switch:
      return values.front();
    case OptionKind::Number:
      return is_toml_number(values.front()) ? values.front() : toml_string(values.front());
    case OptionKind::Text:
      return toml_string(values.front());
    case OptionKind::Path:
    case OptionKind::Paths:
      for (std::string& value : values) {
        if (fs::path(value).is_relative()) value = fs::proximate(value, folder).string();
      }
      if (kind == OptionKind::Path) return toml_string(values.front());
      [[fallthrough]];
    case OptionKind::Texts:
      std::ranges::transform(values, values.begin(), toml_string);
      return fmt::format("[{}]", fmt::join(values, ", "));
  }
  return "";
}

}  // namespace

std::string entry_text(std::string_view name, OptionKind kind, const OptionValues& values, const fs::path& folder) {
  return fmt::format("{} = {}\n", name, toml_value(kind, values, folder));
}

Result<void> read_entries(const fs::path& path, std::string_view noun,
                          const std::function<std::optional<OptionKind>(std::string_view name)>& kind_of,
                          const std::function<Result<void>(std::string_view name, const OptionValues& values)>& set) {
  const auto file = MappedFile::open(path);
  if (!file) return file.error();
  toml::table table;
  try {
    table = toml::parse(file->text(), path.string());
  } catch (const toml::parse_error& error) {
    return Error{fmt::format("{}:{}: {}", path.string(), error.source().begin.line, error.description())};
  }
  for (const auto& [key, node] : table) {
    const auto place = fmt::format("{}:{}: {}", path.string(), node.source().begin.line, key.str());
    const auto kind = kind_of(key.str());
    if (!kind) return Error{fmt::format("{}: no such entry in {}", place, noun)};
    auto values = values_of(*kind, node);
    if (!values) return Error{fmt::format("{}: {}", place, values.error().message)};
    resolve_paths(*kind, path.parent_path(), *values);
    if (const auto done = set(key.str(), *values); !done)
      return Error{fmt::format("{}: {}", place, done.error().message)};
  }
  return {};
}

}  // namespace fedrk::io

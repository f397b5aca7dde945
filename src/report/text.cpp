// SPDX-License-Identifier: Apache-2.0
#include "report/text.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

namespace fedrk::api {

std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> width;
  for (const auto& row : rows) {
    width.resize(std::max(width.size(), row.size()), 0);
    for (std::size_t k = 0; k < row.size(); ++k) width[k] = std::max(width[k], row[k].size());
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t k = 0; k < row.size(); ++k) {
      text += k == 0 ? fmt::format("  {:<{}}", row[k], width[k]) : fmt::format("  {:>{}}", row[k], width[k]);
    }
    text += '\n';
  }
  return text;
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string result;
  std::string line;
  const auto flush = [&] {
    if (!line.empty()) result += std::string(indent, ' ') + line + '\n';
    line.clear();
  };
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (line.size() + word.size() + 1 > width) flush();
    line += (line.empty() ? "" : " ") + std::string(word);
  }
  flush();
  return result;
}

std::string brief(double value) {
  const double size = std::abs(value);
  return size != 0.0 && (size < 1e-3 || size >= 1e6) ? fmt::format("{:.2e}", value) : fmt::format("{:.4g}", value);
}

std::string bytes_text(double bytes) {
  static constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  for (; bytes >= 1000.0 && unit + 1 < std::size(kUnits); ++unit) bytes /= 1000.0;
  return fmt::format("{:.{}f} {}", bytes, unit == 0 || bytes >= 100.0 ? 0 : 1, kUnits[unit]);
}

}  // namespace fedrk::api

// SPDX-License-Identifier: Apache-2.0
#include "report/plot/standalone_svg.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "base/number.hpp"
#include "base/write_file.hpp"
#include "fedrk/contracts.hpp"
#include "report/report_style.hpp"

namespace fedrk::io {
namespace {

using Palette = std::map<std::string_view, std::string_view>;

constexpr double kMargin = 14.0;
constexpr std::string_view kVariable = "var(";

// The variables of the first ":root{...}", which is that of the light page.
void add_variables(std::string_view style, Palette& palette) {
  style.remove_prefix(style.find(":root{") + 6);
  style = style.substr(0, style.find('}'));
  while (!style.empty()) {
    std::string_view entry = style.substr(0, style.find(';'));
    style.remove_prefix(std::min(style.size(), entry.size() + 1));
    entry.remove_prefix(std::min(entry.size(), entry.find_first_not_of("\n ")));
    const std::size_t colon = entry.find(':');
    if (colon != std::string_view::npos) palette[entry.substr(0, colon)] = entry.substr(colon + 1);
  }
}

// Most programs for vector graphics know no variables.
std::string with_values(std::string_view rule, const Palette& palette) {
  std::string out;
  for (std::size_t at = rule.find(kVariable); at != std::string_view::npos; at = rule.find(kVariable)) {
    const std::size_t end = rule.find(')', at);
    const auto value = palette.find(rule.substr(at + kVariable.size(), end - at - kVariable.size()));
    FEDRK_EXPECTS(value != palette.end());
    out += rule.substr(0, at);
    out += value->second;
    rule.remove_prefix(end + 1);
  }
  return out += rule;
}

// The first rule of a style sheet with all its braces; what follows it stays in `style`.
std::string_view take_rule(std::string_view& style) {
  std::size_t depth = 0;
  for (std::size_t i = 0; i < style.size(); ++i) {
    if (style[i] == '{') ++depth;
    if (style[i] != '}' || --depth > 0) continue;
    const std::string_view rule = style.substr(0, i + 1);
    style.remove_prefix(i + 1);
    return rule.substr(rule.find_first_not_of('\n'));
  }
  style = {};
  return {};
}

// Without the palettes, and without the rule that fits a plot into the width of a page.
std::string plain_style() {
  Palette palette;
  add_variables(kPageStyle, palette);
  add_variables(kPlotStyle, palette);
  std::string out;
  std::string_view rest = kPlotStyle;
  for (std::string_view rule = take_rule(rest); !rule.empty(); rule = take_rule(rest)) {
    if (rule.starts_with(":root") || rule.starts_with("@media") || rule.starts_with(".plot{")) continue;
    out += with_values(rule, palette) + '\n';
  }
  return out;
}

// U+FFFE and U+FFFF are characters to HTML, but not to XML.
void replace_non_characters(std::string& text) {
  for (std::size_t at = text.find("\xEF\xBF"); at != std::string::npos; at = text.find("\xEF\xBF", at + 3)) {
    if (text[at + 2] == '\xBE' || text[at + 2] == '\xBF') text[at + 2] = '\xBD';
  }
}

struct Size {
  double width = 0.0;
  double height = 0.0;
};

// From viewBox="0 0 width height".
Size size_of(std::string_view picture) {
  constexpr std::string_view kBox = "viewBox=\"0 0 ";
  picture.remove_prefix(picture.find(kBox) + kBox.size());
  picture = picture.substr(0, picture.find('"'));
  const std::size_t blank = picture.find(' ');
  return {*parse_number(picture.substr(0, blank)), *parse_number(picture.substr(blank + 1))};
}

}  // namespace

std::string standalone_svg(const std::variant<LinePlot, BarChart>& plot) {
  std::string picture = std::visit([](const auto& kind) { return svg(kind); }, plot);
  if (picture.empty()) return "";
  replace_non_characters(picture);
  const Size size = size_of(picture);
  const std::size_t title = picture.find('>') + 1;  // the first element of every plot
  const std::size_t body = picture.find("</title>") + 8;
  const std::size_t end = picture.rfind("</svg>");
  const double width = size.width + 2 * kMargin;
  const double height = size.height + 2 * kMargin;
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  out += fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" class="plot" width="{0:.0f}" height="{1:.0f}" viewBox="{2:.0f} {2:.0f} {0:.0f} {1:.0f}">)",
      width, height, -kMargin);
  out.append(picture, title, body - title);
  out += fmt::format("\n<style>\n{0}</style>\n<rect x=\"{1:.0f}\" y=\"{1:.0f}\" width=\"{2:.0f}\" height=\"{3:.0f}\" ",
                     plain_style(), -kMargin, width, height);
  out += "fill=\"#ffffff\"/>\n<g font-family=\"'DejaVu Sans', sans-serif\" font-size=\"13\">\n";
  out.append(picture, body, end - body);
  return out += "</g>\n</svg>\n";
}

Result<void> write_svg(const std::filesystem::path& path, const std::variant<LinePlot, BarChart>& plot) {
  const std::string picture = standalone_svg(plot);
  if (!picture.empty()) return write_file(path, picture);
  std::error_code none;
  std::filesystem::remove(path, none);
  return {};
}

}  // namespace fedrk::io

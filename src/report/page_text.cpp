// SPDX-License-Identifier: Apache-2.0
#include "report/page_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "base/shown.hpp"

namespace fedrk::io {
namespace {

constexpr std::string_view kMinus = "\u2212";
constexpr std::string_view kReplacement = "\uFFFD";

bool starts_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }

// Where each character of UTF-8 text begins, and the end of the text behind them.
std::vector<std::size_t> character_starts(std::string_view text) {
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (starts_character(text[i])) starts.push_back(i);
  }
  starts.push_back(text.size());
  return starts;
}

// Widths of DejaVu Sans, the widest of the usual screen fonts, rounded up.
double width_of_ascii(char c) {
  if (std::string_view("ijl.,:;'|!() ").find(c) != std::string_view::npos) return 0.42;
  if (std::string_view("mwMW%@").find(c) != std::string_view::npos) return 1.0;
  return c >= 'A' && c <= 'Z' ? 0.76 : 0.65;
}

std::string_view escape_ascii(std::string_view letter) {
  const char c = letter.front();
  if (c == '&') return "&amp;";
  if (c == '<') return "&lt;";
  if (c == '>') return "&gt;";
  if (c == '"') return "&quot;";
  if (c == '\'') return "&#39;";
  const bool control = (c >= 0 && c < ' ' && c != '\t' && c != '\n') || c == 0x7F;
  return control ? kReplacement : letter;
}

// Two decimals, one or none: three digits in all.
std::string with_scale(double value, std::string_view unit) {
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}\u00A0{}", value, decimals, unit);
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    out += length == 1 ? escape_ascii(text.substr(0, 1)) : length == 0 ? kReplacement : text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::string shorten(std::string_view text, std::size_t most) {
  const std::vector<std::size_t> starts = character_starts(text);
  const std::size_t characters = starts.size() - 1;
  if (characters <= most || most < 3) return std::string(text);
  const std::size_t tail = (most - 1) / 3;
  const std::size_t head = most - 1 - tail;
  return fmt::format("{}…{}", text.substr(0, starts[head]), text.substr(starts[characters - tail]));
}

double text_width(std::string_view text) {
  double width = 0.0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x80) width += width_of_ascii(text[i]);
    if (byte >= 0xC0 && byte < 0xE0) width += 0.76;              // Latin with accents, Greek, Cyrillic
    const bool raised = text.substr(i).starts_with("\xE2\x81");  // ⁰ to ⁻
    if (byte >= 0xE0) width += raised ? 0.45 : 1.05;             // an ideograph fills the square
  }
  return width;
}

std::string power_of_ten(int exponent) {
  constexpr std::array<std::string_view, 10> kRaised{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = "10";
  for (const char c : std::to_string(exponent)) {
    text += c == '-' ? std::string_view("⁻") : kRaised.at(static_cast<std::size_t>(c - '0'));
  }
  return text;
}

std::string short_number(double value, int digits) {
  if (!std::isfinite(value)) return "–";
  if (value == 0.0) return "0";
  const double size = std::abs(value);
  const std::string_view sign = value < 0.0 ? kMinus : "";
  // %g would turn 12345 into 1.23e+04, which nobody likes to read.
  if (size >= std::pow(10.0, digits) && size < 1e6) return fmt::format("{}{:.0f}", sign, size);
  const std::string text = fmt::format("{:#.{}g}", size, digits);
  const std::size_t e = text.find('e');
  std::string mantissa = text.substr(0, e);
  // fmt puts a zero behind the point of a whole number: 1319.0, which is a digit too many.
  if (mantissa.ends_with(".0") && mantissa.size() > static_cast<std::size_t>(digits) + 1) {
    mantissa.resize(mantissa.size() - 2);
  }
  if (e == std::string::npos) return fmt::format("{}{}", sign, mantissa);
  const std::string power = power_of_ten(std::stoi(text.substr(e + 1)));
  const bool one = digits <= 2 && mantissa.starts_with('1') && mantissa.find_first_not_of(".0", 1) == std::string::npos;
  return one ? fmt::format("{}{}", sign, power) : fmt::format("{}{}×{}", sign, mantissa, power);
}

std::string short_count(std::uint64_t count) {
  const std::string digits = std::to_string(count);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string short_bytes(double bytes) {
  if (!std::isfinite(bytes) || bytes < 0.0) return "–";
  if (bytes < 1000.0) return fmt::format("{:.0f}\u00A0B", bytes);
  constexpr std::array<std::string_view, 5> kUnits{"kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  for (bytes /= 1000.0; bytes >= 999.5 && unit + 1 < kUnits.size(); bytes /= 1000.0) ++unit;
  return with_scale(bytes, kUnits.at(unit));
}

std::string short_seconds(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0.0) return "–";
  if (seconds < 1e-3) return with_scale(seconds * 1e6, "µs");
  if (seconds < 0.0995) return with_scale(seconds * 1e3, "ms");
  if (seconds < 99.95) return with_scale(seconds, "s");
  return seconds < 5997.0 ? with_scale(seconds / 60.0, "min") : with_scale(seconds / 3600.0, "h");
}

}  // namespace fedrk::io

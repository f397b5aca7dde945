// SPDX-License-Identifier: Apache-2.0
#include "base/number.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

#include "base/scan.hpp"

namespace fedrk::io {
namespace {

Error unexpected(std::string_view expected, std::string_view found) {
  return {std::string("expected ").append(expected).append(", found ").append(found)};
}

std::string_view text_or_nothing(std::string_view text) { return text.empty() ? "nothing" : "text"; }

// A plus sign before the first digit (or the point), which from_chars does not take.
std::string_view without_plus(std::string_view text) {
  const bool plus = text.size() > 1 && text[0] == '+' && text[1] != '-' && text[1] != '+';
  return plus ? text.substr(1) : text;
}

// from_chars reports numbers too large and numbers too small alike. Such a number is far from 1, so the power of ten
// of its first digit tells which it was.
bool is_tiny(std::string_view number) {
  constexpr long long kFar = 1'000'000'000'000'000'000;
  const std::size_t e = std::min(number.find_first_of("eE"), number.size());
  long long power = 0;
  if (e < number.size()) {
    const std::string_view text = without_plus(number.substr(e + 1));
    const auto [_, failure] = std::from_chars(text.data(), text.data() + text.size(), power);
    if (failure != std::errc{}) power = text.starts_with('-') ? -kFar : kFar;
  }
  const std::string_view digits = number.substr(0, e);
  const auto point = static_cast<long long>(std::min(digits.find('.'), digits.size()));
  const auto first = static_cast<long long>(std::min(digits.find_first_of("123456789"), digits.size()));
  return std::clamp(power, -kFar, kFar) + point - first < 0;
}

}  // namespace

Result<double> parse_number(std::string_view text) {
  const std::string_view found = trimmed(text), number = without_plus(found);
  const char* const end = number.data() + number.size();
  double value = 0.0;
  const auto [after, failure] = std::from_chars(number.data(), end, value);
  if (failure == std::errc::invalid_argument || after != end) return unexpected("a number", text_or_nothing(found));
  if (failure == std::errc::result_out_of_range) {
    if (is_tiny(number)) return number.starts_with('-') ? -0.0 : 0.0;
    return Error{"the number is too large for a double"};
  }
  if (!std::isfinite(value))
    return unexpected("a finite number", std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
  return value;
}

Result<std::uint64_t> parse_whole(std::string_view text) {
  const std::string_view found = trimmed(text), number = without_plus(found);
  const char* const end = number.data() + number.size();
  std::uint64_t value = 0;
  const auto [after, failure] = std::from_chars(number.data(), end, value);
  if (failure == std::errc::invalid_argument || after != end) {
    return unexpected("a whole number", parse_number(found) ? "another number" : text_or_nothing(found));
  }
  if (failure == std::errc::result_out_of_range) return Error{"the number is too large"};
  return value;
}

std::string to_text(double value) {
  std::string out;
  append_text(value, out);
  return out;
}

void append_text(double value, std::string& out) {
  std::array<char, 32> text{};  // the longest double, -2.2250738585072014e-308, takes 24
  const auto [after, _] = std::to_chars(text.data(), text.data() + text.size(), value);
  out.append(text.data(), after);
}

}  // namespace fedrk::io

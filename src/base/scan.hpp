// SPDX-License-Identifier: Apache-2.0
#pragma once

// The quick half of reading numbers: no strings, no messages. What it turns down goes to parse_number, which knows the
// rare forms (a plus sign, underflow) and the words for what is wrong.

#include <charconv>
#include <cmath>
#include <string_view>
#include <system_error>

namespace fedrk::io {

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }

inline std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Takes the next run of non-blanks from the front of `rest`; empty when there is none.
inline std::string_view next_token(std::string_view& rest) {
  std::size_t first = 0;
  while (first < rest.size() && is_blank(rest[first])) ++first;
  std::size_t last = first;
  while (last < rest.size() && !is_blank(rest[last])) ++last;
  const std::string_view token = rest.substr(first, last - first);
  rest.remove_prefix(last);
  return token;
}

/// Reads a finite number at `at` and moves past it. What follows is the caller's to judge.
inline bool scan_number(const char*& at, const char* end, double& value) {
  const auto [after, failure] = std::from_chars(at, end, value);
  if (failure != std::errc{} || !std::isfinite(value)) return false;
  at = after;
  return true;
}

/// Reads `text` as one finite number, from its first byte to its last.
inline bool scan_number(std::string_view text, double& value) {
  const char* at = text.data();
  return scan_number(at, text.data() + text.size(), value) && at == text.data() + text.size();
}

}  // namespace fedrk::io

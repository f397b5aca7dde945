// SPDX-License-Identifier: Apache-2.0
#pragma once

// How text from a file appears in a message: in quotes, on one line, not too long, and always valid UTF-8, so that a
// message can go to a terminal, a log or a JSON file whatever the file held.

#include <cstddef>
#include <string>
#include <string_view>

namespace fedrk::io {

/// Bytes of the UTF-8 character at the start of `text`; 0 where there is none (RFC 3629, without surrogates).
inline std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto continued = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned lead = byte(0);
  if (text.empty()) return 0;
  if (lead < 0x80U) return 1;
  if (lead >= 0xC2U && lead <= 0xDFU) return continued(1) ? 2 : 0;
  if (lead >= 0xE0U && lead <= 0xEFU) {
    const bool overlong = lead == 0xE0U && byte(1) < 0xA0U, surrogate = lead == 0xEDU && byte(1) >= 0xA0U;
    return continued(1) && continued(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (lead >= 0xF0U && lead <= 0xF4U) {
    const bool overlong = lead == 0xF0U && byte(1) < 0x90U, beyond = lead == 0xF4U && byte(1) >= 0x90U;
    return continued(1) && continued(2) && continued(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

inline bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

/// 'text', cut after about forty bytes; control characters and broken UTF-8 become question marks.
inline std::string shown(std::string_view text) {
  constexpr std::size_t kMaxLength = 40;
  const bool cut = text.size() > kMaxLength;
  std::string out = "'";
  for (std::size_t i = 0; i < text.size() && (!cut || i < kMaxLength - 3);) {
    const std::size_t length = utf8_length(text.substr(i));
    const bool control = length == 1 && (static_cast<unsigned char>(text[i]) < 0x20U || text[i] == 0x7F);
    if (length == 0 || control) {
      out += '?';
    } else {
      out += text.substr(i, length);
    }
    i += length == 0 ? 1 : length;
  }
  return out += cut ? "...'" : "'";
}

}  // namespace fedrk::io

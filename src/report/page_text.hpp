// SPDX-License-Identifier: Apache-2.0
#pragma once

// Text for people: what is written into a page or beside an axis. Files get `to_text` of number.hpp instead, which
// keeps every bit; here a few digits are enough, and nothing that is not a number is ever shown as one.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fedrk::io {

/// Safe between tags and inside quoted attributes. Control characters, which HTML does not allow, and bytes that
/// are not UTF-8 become U+FFFD.
std::string escape_html(std::string_view text);

/// At most `most` characters: what is longer loses its middle to an ellipsis, as names often differ at their ends.
std::string shorten(std::string_view text, std::size_t most);

/// How wide the text is, in units of the font size. The font is the reader's, so this is an estimate on the safe side.
double text_width(std::string_view text);

/// 10⁻³ for -3.
std::string power_of_ten(int exponent);

/// `digits` significant ones: 0.3100, −12.50, 4.200×10⁻⁵, and 10⁻⁸ where one or two are enough; a dash when the value
/// is not finite.
std::string short_number(double value, int digits);

/// 12,345
std::string short_count(std::uint64_t count);

/// 1.20 MB, in powers of a thousand. The blank before a unit does not break.
std::string short_bytes(double bytes);

/// 0.12 s, 3.39 min, 2.05 h.
std::string short_seconds(double seconds);

}  // namespace fedrk::io

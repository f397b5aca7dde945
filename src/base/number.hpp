// SPDX-License-Identifier: Apache-2.0
#pragma once

// The one place that turns text into numbers and numbers into text.
//
// Reading is strict (the whole text, finite, within range) and says what is wrong in words that fit behind a place:
// "expected a number, found text". What was found is named by its kind and never quoted: these messages go to logs, and
// the text may be somebody's data. Writing gives the shortest text that reads back to the same bits.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace fedrk::io {

/// Blanks around the number and a plus sign before it are fine; a number too small for a double is zero.
Result<double> parse_number(std::string_view text);
Result<std::uint64_t> parse_whole(std::string_view text);

std::string to_text(double value);

/// As `to_text`, onto the end of `out`, without a temporary.
void append_text(double value, std::string& out);

}  // namespace fedrk::io

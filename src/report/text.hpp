// SPDX-License-Identifier: Apache-2.0
#pragma once

// Text for people: tables, broken lines, numbers at a length that is read.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fedrk::api {

/// Columns of text as wide as their widest entry; the first is aligned left, the others right.
std::string table(const std::vector<std::vector<std::string>>& rows);

/// Text broken into lines of at most `width` characters, each after `indent` blanks.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);

/// 4 digits for a person: 0.3124, 1.2e-09, 12345.
std::string brief(double value);

/// 1.2 MB
std::string bytes_text(double bytes);

}  // namespace fedrk::api

// SPDX-License-Identifier: Apache-2.0
#pragma once

// A row of a CSV table, field after field, for all who read such rows.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/scan.hpp"
#include "data/csv_header.hpp"

namespace fedrk::io {

// The usual field: a number right up to the delimiter or the end of the line. Otherwise nothing has happened.
inline bool quick_number(std::string_view line, char delimiter, std::size_t& at, double& value) {
  const char* p = line.data() + at;
  const char* const end = line.data() + line.size();
  while (p < end && *p == ' ') ++p;
  if (!scan_number(p, end, value)) return false;
  if (p != end && *p != delimiter) return false;
  at = static_cast<std::size_t>(p - line.data()) + 1;
  return true;
}

/// Any field that holds a number; else what is wrong with it. `at` is its first byte, and afterwards that of the next.
std::optional<std::string> careful_number(std::string_view line, char delimiter, std::size_t& at, double& value);

/// What to say of a problem in a column of a line. A wrong number of fields explains whatever else looks wrong in the
/// line, so it is told first.
std::string explain(const CsvHeader& header, std::string_view line, std::size_t column, const std::string& problem);

}  // namespace fedrk::io

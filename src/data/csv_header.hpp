// SPDX-License-Identifier: Apache-2.0
#pragma once

// The first line of a CSV table, and what each of its columns is for.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/scan.hpp"
#include "data/dataset.hpp"

namespace fedrk::io {

enum class CsvRole : unsigned char { Feature, Target, Owner, Ignored };

struct CsvHeader {
  char delimiter = ',';
  std::vector<std::string> names;
  std::vector<CsvRole> roles;       // one for each name
  std::vector<std::size_t> places;  // one for each name: which feature it is, where it is one

  std::size_t count(CsvRole role) const;
  /// The shortest a row can be, its line end included: a digit and a delimiter for each number, a delimiter for others.
  std::size_t min_row_bytes() const;
};

/// The names alone; nothing has a role yet. `path` is for messages, which quote a name only where they may: in a file
/// without a header it is a value of the data.
Result<CsvHeader> read_csv_names(std::string_view line, const std::filesystem::path& path, bool quote = false);

/// `path` is for messages.
Result<CsvHeader> read_csv_header(std::string_view line, const TableOptions& options,
                                  const std::filesystem::path& path);

// A row of a CSV table, field after field, for all who read such rows.

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

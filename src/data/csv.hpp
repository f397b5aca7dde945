// SPDX-License-Identifier: Apache-2.0
#pragma once

// Comma-separated tables with a header line. The delimiter is the one of , ; tab that the header uses; fields may be
// quoted, but stay on their line; lines may end in CRLF; a byte order mark is skipped; names and labels are UTF-8. Row
// i of the data stands on line i + 2.

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "data/dataset.hpp"

namespace fedrk::io {

Result<Dataset> read_csv(const std::filesystem::path& path, const TableOptions& options);

/// The same from text in memory; `name` stands for the path in messages.
Result<Dataset> read_csv_text(std::string_view text, std::string_view name, const TableOptions& options);

/// The names of the columns, from the header alone.
Result<std::vector<std::string>> read_csv_columns(const std::filesystem::path& path);

/// Rows first_row .. first_row + rows - 1 of the system, the right-hand side last as column `target`. Where `columns`
/// is empty, they are named x1, x2, ... REQUIRES: `columns` is empty or has a name for each column; the rows exist.
Result<void> write_csv(const std::filesystem::path& path, const LinearSystem& system, std::size_t first_row,
                       std::size_t rows, std::span<const std::string> columns, const std::string& target);

/// A field as it has to stand in a CSV file: quoted where it needs to be.
std::string csv_field(std::string_view text);

// All columns of a CSV table, before anybody has said what each is for.

struct CsvTable {
  std::vector<std::string> names;
  std::vector<std::vector<double>> columns;  // empty for a column that holds anything but numbers
  std::vector<std::string> not_numbers;      // for each column: its first field that is no number, in words
  std::size_t rows = 0;
};

/// The format is that of csv.hpp; a field that is no number is an error only to those who use its column.
Result<CsvTable> read_csv_table(const std::filesystem::path& path);

}  // namespace fedrk::io
